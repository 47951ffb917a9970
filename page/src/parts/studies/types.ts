// The shapes of an evidence table and of a timeline: `evidence_table/values.py` and `timeline.py` of the server.
import type { Evidence, Label, Usage } from "../../types";
import { t } from "../../words";

export interface Cell {
  state: "quoted" | "not reported" | "failed";
  document_id: string;
  start: number | null;
  end: number | null;
  quote: string;
  section: string | null;
  by: string;
  reason: string;
}

export interface Row {
  document_id: string;
  title: string;
  year: number | null;
  journal: string | null;
  design: string;
  level: number;
  kind: string;
  retraction_words: string;
  aside: string;
  url: string;
  quotes: { id: string; start: number; end: number; quote: string; place: string; stance: Evidence["stance"] }[];
  stance: Evidence["stance"];
  verdicts: { sentence: string; label: Label; words: string }[];
  cells: Cell[];
}

export interface Agreement {
  designs: { design: string; level: number; studies: number; supports: number; contradicts: number; neither: number; not_judged: number }[];
  studies: number;
  retracted: number;
  words: string;
}

export interface EvidenceTable {
  trace_id: string;
  question: string;
  columns: string[];
  compared: string[];
  rows: Row[];
  agreement: Agreement | null;
  notes: string[];
  usage: Usage;
}

export interface Span {
  id: string;
  parent: string | null;
  name: string;
  words: string;
  start: number;
  seconds: number;
  depth: number;
  status: "done" | "failed";
  error: string;
  model: string;
  cached: boolean;
  input_tokens: number;
  output_tokens: number;
  money: string | null;
}

export interface Timeline {
  trace_id: string;
  seconds: number;
  spans: Span[];
  input_tokens: number;
  output_tokens: number;
  money: string | null;
}

/** What is said of a study's stance; the sign before it says the same without colour. */
export const STANCES: Record<Evidence["stance"], { words: string; sign: string }> = {
  supports: { words: t`supports a yes`, sign: "▲" },
  contradicts: { words: t`contradicts it`, sign: "▼" },
  mixed: { words: t`both for and against`, sign: "◆" },
  unknown: { words: t`not judged`, sign: "○" },
};

export const answerPath = (id: string, rest: string): string => `/v1/answers/${encodeURIComponent(id)}/${rest}`;
