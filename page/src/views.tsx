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
import { UsagePage } from "./views/usage";

export interface View {
  title: string;
  nav?: string;
  page: ComponentType<{ route: Route }>;
  /** What of a route makes it another page: its focus and scroll are then set anew. By default all of its parts. */
  same?: (route: Route) => string;
}

export const VIEWS: Record<string, View> = {
  ask: { title: "Ask", nav: "Ask", page: AskPage, same: () => "" },
  search: { title: "Search", nav: "Search", page: SearchPage, same: (route) => route.query.toString() },
  document: { title: "Document", page: DocumentPage },
  asked: { title: "Searching", page: AskedPage },
  answer: { title: "Answer", page: AnswerPage, same: (route) => route.parts[0] ?? "" },
  table: { title: "Evidence table", page: TablePage, same: (route) => route.parts[0] ?? "" },
  report: { title: "Report", page: ReportPage },
  trace: { title: "Timeline", page: TracePage },
  compare: { title: "Compare recipes", nav: "Compare", page: ComparePage, same: () => "" },
  history: { title: "History", nav: "History", page: HistoryPage },
  corpora: { title: "Corpora", nav: "Corpora", page: CorporaPage },
  runs: { title: "Evaluation runs", nav: "Runs", page: RunsPage },
  usage: { title: "Usage", nav: "Usage", page: UsagePage },
};
