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
import { AuditPage } from "./views/audit";
import type { Session } from "./session";
import { t } from "./words";

export interface View {
  title: string;
  nav?: string;
  /** For those who build and compare: shown under "Advanced". */
  advanced?: boolean;
  /** The only role that sees its link. */
  role?: Session["role"];
  page: ComponentType<{ route: Route }>;
  /** What of a route makes it another page: its focus and scroll are then set anew. By default all of its parts. */
  same?: (route: Route) => string;
}

export const VIEWS: Record<string, View> = {
  ask: { title: t`Ask`, nav: t`Ask`, page: AskPage, same: () => "" },
  history: { title: t`My questions`, nav: t`My questions`, page: HistoryPage },
  saved: { title: t`Saved work`, nav: t`Saved work`, page: SavedPage },
  corpora: { title: t`Collections`, nav: t`Collections`, page: CorporaPage },
  document: { title: t`Document`, page: DocumentPage },
  asked: { title: t`Searching`, page: AskedPage },
  answer: { title: t`Answer`, page: AnswerPage, same: (route) => route.parts[0] ?? "" },
  table: { title: t`Evidence table`, page: TablePage, same: (route) => route.parts[0] ?? "" },
  report: { title: t`Report`, page: ReportPage },
  trace: { title: t`Timeline`, page: TracePage },
  search: { title: t`Search passages`, nav: t`Search passages`, advanced: true, page: SearchPage, same: (route) => route.query.toString() },
  compare: { title: t`Compare methods`, nav: t`Compare methods`, advanced: true, page: ComparePage, same: () => "" },
  runs: { title: t`Evaluation runs`, nav: t`Evaluation runs`, advanced: true, page: RunsPage },
  usage: { title: t`Usage`, nav: t`Usage`, advanced: true, page: UsagePage },
  audit: { title: t`Audit log`, nav: t`Audit log`, advanced: true, role: "admin", page: AuditPage },
};
