// The views: one line each. `nav` is the word in the navigation; a view without one is reached from others.
import type { ComponentType } from "preact";
import type { Route } from "./router";
import { AnswerPage } from "./views/answer";
import { AskPage } from "./views/ask";
import { AskedPage } from "./views/asked";
import { ComparePage } from "./views/compare";
import { ReportPage } from "./views/report";
import { TablePage } from "./views/table";
import { TracePage } from "./views/trace";
import { DocumentPage } from "./views/document";
import { SearchPage } from "./views/search";
import { CorporaPage } from "./views/corpora";
import { HistoryPage } from "./views/history";
import { RunsPage } from "./views/runs";
import { SavedPage } from "./views/saved";
import { UsagePage } from "./views/usage";

export interface View {
  title: string;
  nav?: string;
  /** For those who build and compare: shown under "Advanced". */
  advanced?: boolean;
  page: ComponentType<{ route: Route }>;
  /** What of a route makes it another page: its focus and scroll are then set anew. By default all of its parts. */
  same?: (route: Route) => string;
}

export const VIEWS: Record<string, View> = {
  ask: { title: "Ask", nav: "Ask", page: AskPage, same: () => "" },
  history: { title: "My questions", nav: "My questions", page: HistoryPage },
  saved: { title: "Saved work", nav: "Saved work", page: SavedPage },
  corpora: { title: "Collections", nav: "Collections", page: CorporaPage },
  document: { title: "Document", page: DocumentPage },
  asked: { title: "Searching", page: AskedPage },
  answer: { title: "Answer", page: AnswerPage, same: (route) => route.parts[0] ?? "" },
  table: { title: "Evidence table", page: TablePage, same: (route) => route.parts[0] ?? "" },
  report: { title: "Report", page: ReportPage },
  trace: { title: "Timeline", page: TracePage },
  search: { title: "Search passages", nav: "Search passages", advanced: true, page: SearchPage, same: (route) => route.query.toString() },
  compare: { title: "Compare methods", nav: "Compare methods", advanced: true, page: ComparePage, same: () => "" },
  runs: { title: "Evaluation runs", nav: "Evaluation runs", advanced: true, page: RunsPage },
  usage: { title: "Usage", nav: "Usage", advanced: true, page: UsagePage },
};
