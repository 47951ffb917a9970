// The shapes of the API that the page reads. `src/medground/wording/view_types.py` and `service/` are their source.

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  next: string;
  retry_after?: number | null;
  trace_id?: string | null;
  research?: string | null;
  notice?: Notice | null;
}

export interface Notice {
  kind: "self-harm" | "emergency" | "see-doctor" | "treatment";
  sentence: string;
  stops?: boolean;
}

export type Task = "yes-no" | "yes-no-maybe" | "direction" | "single-choice" | "multiple-choice" | "free";

export interface Filters {
  year_from?: number | null;
  year_to?: number | null;
  date_from?: string | null;
  date_to?: string | null;
}

export interface Asked {
  kind: "ask" | "research";
  question: string;
  context?: string;
  task?: Task;
  options?: string[];
  recipe?: string;
  model?: string;
  corpora?: string[];
  sources?: string[];
  knowledge_base?: string;
  filters?: Filters;
  follow?: string;
  settings?: Record<string, string | number | boolean>;
}

export type JobState = "queued" | "running" | "done" | "failed" | "stopped";

export interface Job {
  id: string;
  kind: string;
  title: string;
  state: string;
  trace_id?: string | null;
}

export interface JobEvent {
  version: number;
  id: number;
  type: "queued" | "step" | "progress" | "answer" | "done" | "failed" | "stopped" | "resync";
  words: string;
  step?: { type: string; source?: string; status?: string; text?: string } | null;
  done?: number | null;
  of?: number | null;
  trace_id?: string | null;
  problem?: Problem | null;
}

export type Label = "supported" | "partly" | "contradicted" | "quoted" | "related" | "not found" | "not judged" | "unverified" | "given";
export type Shape = "check" | "half" | "cross" | "quote" | "wave" | "gap" | "ring" | "alert" | "dot";
export type Style = "plain" | "strong" | "italic" | "dim" | "good" | "caution" | "bad" | "mark";

export interface Verdict {
  text: string;
  label: Label;
  shape: Shape;
  glyph: string;
  plain: boolean;
  style: Style;
  words: string;
  deciding: string | null;
  category: string;
}

export interface Sentence {
  text: string;
  start: number;
  end: number;
  citations: string[];
  web: boolean;
  section: number | null;
  verdicts: Verdict[];
}

export interface Evidence {
  id: string;
  document_id: string;
  start: number;
  end: number;
  quote: string;
  place: string;
  study: string;
  stance: "supports" | "contradicts" | "mixed" | "unknown";
  origin: "text" | "graph";
}

export interface SourceDocument {
  id: string;
  number: number;
  title: string;
  year: number | null;
  journal: string;
  authors: string[];
  design: string;
  kind: string;
  retraction: "none" | "retracted" | "notice" | "concern";
  aside: string;
  retraction_words: string;
  cautions: string[];
  url: string;
  reference: string;
  licence: string;
  source: string;
  evidence: string[];
}

export interface Conflict {
  about: string;
  words: string;
  sides: { name: string; stance: Evidence["stance"]; evidence: string[] }[];
}

export interface Fact {
  subject: string;
  relation: string;
  object: string;
  frequency: string;
  references: string[];
  evidence: string;
}

export interface Search {
  source: string;
  name: string;
  query: string;
  status: "found" | "empty" | "failed";
  hits: number;
  words: string;
  node: string;
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  model_calls: number;
  cached_calls: number;
  searches: number;
  counts: number;
  seconds: number;
  price: string | null;
}

export interface Report {
  plan: {
    question: string;
    subquestions: { id: string; text: string; keywords: string[] }[];
    keywords: { name: string; dimension: string; tools: string[] }[];
    edges: { before: string; after: string; weight: number }[];
    notes: string[];
  };
  order: string;
  sections: { kind: string; title: string; subquestion: string; notes: string[]; sentences: number[] }[];
  subanswers: { id: string; text: string; state: "answered" | "not answerable" | "failed"; words: string; evidence: string[] }[];
  connections: { first: string; second: string; relation: string; words: string; found_by: string; evidence: string[] }[];
  flow: { subquestion: string; tool: string; found: number; merged: number; filtered: number; cut: number; kept: number; cited: number }[];
  files: { name: string; title: string; media_type: string; size: number; words: string; document_id: string | null; licence: string }[];
  read: string[];
}

/** An answer as it is shown: `AnswerView` of the server. */
export interface Answered {
  trace_id: string;
  id: string;
  question: string;
  task: Task;
  options: { letter: string; text: string }[];
  follows: string | null;
  read_as: string;
  context: string;
  recipe: string;
  models: string[];
  corpora: string[];
  /** What was chosen to be searched; null for all that is searched by default. */
  chosen: { corpora: string[]; sources: string[] } | null;
  created: string;
  notice: Notice | null;
  status: "decided" | "not judged" | "unanswerable";
  value: string | null;
  basis: "graph fact" | "model" | "critic" | null;
  probability: number | null;
  headline: string;
  reason: string;
  /** Questions to ask, and collections to search, where nothing was found. */
  nearby: string[];
  unsearched: string[];
  support: string;
  support_share: number | null;
  rationale: string;
  sentences: Sentence[];
  evidence: Evidence[];
  documents: SourceDocument[];
  conflicts_heading: string;
  conflicts: Conflict[];
  facts: Fact[];
  searches: Search[];
  dropped: { text: string; reason: string }[];
  notes: string[];
  details: string[];
  cost: string;
  usage: Usage;
  report: Report | null;
  stopped: string;
}

export interface DocumentText {
  retraction: "none" | "retracted" | "notice" | "concern";
  id: string;
  title: string;
  text: string;
  sections: { label: string; start: number; end: number }[];
  year: number | null;
  journal: string | null;
  url: string | null;
}

/** A name that completes what is typed from the code point `start` on. */
export interface Suggestion {
  text: string;
  about: string;
  start: number;
}

export interface SearchResult {
  hits: { passage: { document_id: string; start: number; end: number; text: string; section: string | null; title: string; year: number | null; retraction: DocumentText["retraction"] } }[];
  searches: { source: string; status: string; error: string | null; hits: number }[];
  notes: string[];
  notice: Notice | null;
}

export interface StrategyRecord {
  id: string;
  title: string;
  text: string;
  authors: string[];
  journal: string | null;
  year: number | null;
  url: string | null;
  identifiers: Record<string, string>;
}

export interface Strategy {
  lines: { typed: string; query: string; records: number | null; problem: string }[];
  documents: StrategyRecord[];
}

export interface Corpus {
  name: string;
  title: string;
  examples: string[];
  created: string | null;
  graph: boolean;
  hash: string;
  documents: number | null;
  passages: number | null;
  about: string;
  default: boolean;
  problem: string;
}

export interface Recipe {
  name: string;
  about: string;
  researches: boolean;
  default: boolean;
}

/** What the server offers to choose from. */
export interface Offers {
  recipes: Recipe[];
  models: string[];
  corpora: Corpus[];
  sources: string[];
  /** Those of them that a question without a choice searches. */
  default_sources: string[];
  knowledge_bases: string[];
}
