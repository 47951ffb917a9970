// A question as it is being written, and as it is sent.
import type { Asked, Filters, Task } from "../types";

export interface Draft {
  question: string;
  context: string;
  recipe: string;
  model: string;
  corpora: string[];
  sources: string[];
  /** Whether corpora and sources were chosen; else the server's own are searched. */
  chosen: boolean;
  yearFrom: string;
  yearTo: string;
  dateFrom: string;
  dateTo: string;
  task: Task | "";
  options: string;
  researches: boolean;
  /** Whether more papers are read and quoted than an answer needs: for a table. */
  more: boolean;
}

const MORE = { "recipe.sentences": 15, "recipe.batch": 15 };

export const emptyDraft: Draft = {
  question: "",
  context: "",
  recipe: "",
  model: "",
  corpora: [],
  sources: [],
  chosen: false,
  yearFrom: "",
  yearTo: "",
  dateFrom: "",
  dateTo: "",
  task: "",
  options: "",
  researches: false,
  more: false,
};

/** What is sent: only what was chosen, so that the server's own settings hold for the rest. */
export function askedOf(draft: Draft, follow: string): Asked {
  const filters = filtersOf(draft);
  const options = draft.options.split("\n").map((line) => line.trim()).filter(Boolean);
  return {
    kind: draft.researches ? "research" : "ask",
    question: draft.question,
    ...(draft.context.trim() && { context: draft.context }),
    ...(draft.recipe && { recipe: draft.recipe }),
    ...(draft.model && { model: draft.model }),
    ...(draft.chosen && { corpora: draft.corpora, sources: draft.sources }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(draft.task && { task: draft.task }),
    ...(options.length > 0 && { options }),
    ...(follow && { follow }),
    ...(draft.more && { settings: MORE }),
  };
}

function filtersOf(draft: Draft): Filters {
  const year = (text: string): number | undefined => (text.trim() ? Number(text) : undefined);
  const [from, to] = [year(draft.yearFrom), year(draft.yearTo)];
  return {
    ...(from !== undefined && { year_from: from }),
    ...(to !== undefined && { year_to: to }),
    ...(draft.dateFrom && { date_from: draft.dateFrom }),
    ...(draft.dateTo && { date_to: draft.dateTo }),
  };
}
