// The views: one line each. `nav` is the word in the navigation; a view without one is reached from others.
import type { ComponentType } from "preact";
import type { Route } from "./router";
import { AnswerPage } from "./views/answer";
import { later } from "./parts/later";
import { AskPage } from "./views/ask";
import { AskedPage } from "./views/asked";
import { ReportPage } from "./views/report";
import { TablePage } from "./views/table";
import { DocumentPage } from "./views/document";
import { CorporaPage } from "./views/corpora";
import { HistoryPage } from "./views/history";
import { SavedPage } from "./views/saved";
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
  check: { title: t`Check a text`, nav: t`Check a text`, page: later(() => import("./views/check").then((one) => one.CheckPage)), same: () => "" },
  saved: { title: t`Saved work`, nav: t`Saved work`, page: SavedPage },
  corpora: { title: t`Collections`, nav: t`Collections`, page: CorporaPage },
  document: { title: t`Document`, page: DocumentPage },
  asked: { title: t`Searching`, page: AskedPage },
  answer: { title: t`Answer`, page: AnswerPage, same: (route) => route.parts[0] ?? "" },
  table: { title: t`Evidence table`, page: TablePage, same: (route) => route.parts[0] ?? "" },
  report: { title: t`Report`, page: ReportPage },
  trace: { title: t`Timeline`, page: later(() => import("./views/trace").then((one) => one.TracePage)) },
  search: { title: t`Search passages`, nav: t`Search passages`, advanced: true, page: later(() => import("./views/search").then((one) => one.SearchPage)), same: (route) => route.query.toString() },
  compare: { title: t`Compare methods`, nav: t`Compare methods`, advanced: true, page: later(() => import("./views/compare").then((one) => one.ComparePage)), same: () => "" },
  runs: { title: t`Evaluation runs`, nav: t`Evaluation runs`, advanced: true, page: later(() => import("./views/runs").then((one) => one.RunsPage)) },
  usage: { title: t`Usage`, nav: t`Usage`, advanced: true, page: later(() => import("./views/usage").then((one) => one.UsagePage)) },
  audit: { title: t`Audit log`, nav: t`Audit log`, advanced: true, role: "admin", page: later(() => import("./views/audit").then((one) => one.AuditPage)) },
};
