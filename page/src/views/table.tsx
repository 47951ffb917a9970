// The studies of an answer: a table with the reader's own columns, a plot by year and design, how far they agree.
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { answerView, call, fetchFile } from "../api";
import { AskButton } from "../parts/asking";
import { Cited } from "../parts/cite";
import { Exports, save as saveFile } from "../parts/exports";
import { useLoaded } from "../parts/loading";
import { AskedOn } from "../parts/paper";
import { Lost, ProblemBox, problemOf } from "../parts/problem";
import { AgreementTable } from "../parts/studies/agreement";
import { Columns, MOST } from "../parts/studies/columns";
import { Grid } from "../parts/studies/grid";
import { PlacePane } from "../parts/studies/place";
import { Plot } from "../parts/studies/plot";
import { Certainty, type Change, counted, Flow, LeftOut, papers, UNWANTED } from "../parts/studies/review";
import { type Filter, filtered, type Key, named, type Order, sorted } from "../parts/studies/sorting";
import { answerPath, type Cell, type EvidenceTable } from "../parts/studies/types";
import { Ways } from "../parts/ways";
import { address, go, type Route } from "../router";
import { save, useSaved } from "../saved";
import type { Answered, Problem } from "../types";
import { Said } from "../parts/said";
import { t } from "../words";

/** Studies of a table below which more can be looked for. */
const FEW = 10;

export function TablePage({ route }: { route: Route }): JSX.Element {
  const id = route.parts[0] ?? "";
  const loaded = useLoaded((signal) => answerView(id, signal), id);
  const columns = useMemo(() => (route.query.get("c") ?? "n").split("|").filter(Boolean).slice(0, MOST), [route.query.get("c")]);
  if (loaded.state === "loading") return <p class="wide dim">Loading the studies</p>;
  if (loaded.state === "failed") return <Lost title={t`Evidence table`} problem={loaded.problem} />;
  return <Studies answer={loaded.value} columns={columns} all={route.query.has("all")} />;
}

/** `all`: whether more studies were looked for already. */
function Studies({ answer, columns, all }: { answer: Answered; columns: string[]; all: boolean }): JSX.Element {
  const [table, setTable] = useState<EvidenceTable | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const asked = columns.join("|");

  useEffect(() => {
    const control = new AbortController();
    setProblem(null);
    call<EvidenceTable>("POST", answerPath(answer.trace_id, "table"), { columns }, control.signal).then(
      (made) => control.signal.aborted || setTable(made),
      (error: unknown) => control.signal.aborted || setProblem(problemOf(error)),
    );
    return () => control.abort();
  }, [answer.trace_id, asked]);

  const change = (next: string[]): void => go(address("table", [answer.trace_id], { c: next.join("|"), ...(all && { all: "1" }) }), true);
  const busy = !problem && table?.columns.join("|") !== asked;
  return (
    <Cited.Provider value={{ answer: answer.trace_id, open: "", studies: {} }}>
      <div class="wide">
        <Ways answer={answer.trace_id} here="table" report={answer.report !== null} />
        <h1 class="question" dir="auto">
          {answer.question}
        </h1>
        <AskedOn answer={answer} />
        {table && all && <p class="dim">These are all the studies that were found to quote.</p>}
        {table && !all && table.rows.length < FEW && (
          <p>
            <AskButton draft={{ question: answer.question, more: true, ...(answer.chosen && { ...answer.chosen, chosen: true }) }} more={{ to: "table" }} words="Look for more studies" />
          </p>
        )}
        <Columns columns={columns} compared={table?.compared ?? []} change={change} />
        {problem && <ProblemBox problem={problem} />}
        <p class="dim" role="status">
          {busy ? t`Reading the studies` : ""}
        </p>
        {table && (table.rows.length ? <Shown answer={answer} table={table} columns={columns} change={change} /> : <p>This answer quotes no studies.</p>)}
      </div>
    </Cited.Provider>
  );
}

const ALL: Filter = { words: "", design: "", retracted: true };

function Shown({ answer, table, columns, change }: { answer: Answered; table: EvidenceTable; columns: string[]; change: (columns: string[]) => void }): JSX.Element {
  const [order, setOrder] = useState<Order>({ key: "design", down: false });
  const [filter, setFilter] = useState<Filter>(ALL);
  const [open, setOpen] = useState<{ cell: Cell; column: string } | null>(null);
  const from = useRef<Element | null>(null);
  const saved = useSaved();
  const [problem, setProblem] = useState<Problem | null>(null);
  const id = answer.trace_id;
  const removed = saved?.removed[id] ?? {};
  const notes = saved?.notes[id] ?? {};
  const keep: Change = (changed) => void save(changed).catch((error: unknown) => setProblem(problemOf(error)));
  const leave = (next: Record<string, string>): void => keep((now) => ({ removed: { ...now.removed, [id]: next } }));
  const rows = useMemo(() => sorted(filtered(table.rows, filter), order).filter((one) => !(one.document_id in removed)), [table, filter, order, removed]);
  const count = counted(answer, table, removed);
  const row = open && table.rows.find((one) => one.document_id === open.cell.document_id);
  const close = useCallback(() => {
    setOpen(null);
    if (from.current instanceof HTMLElement) from.current.focus();
  }, []);
  const sort = (key: Key): void => setOrder(order.key === key ? { key, down: !order.down } : { key, down: key === "year" });
  return (
    <>
      <Filters table={table} filter={filter} change={setFilter} shown={rows.length} />
      <Plot rows={rows} />
      <Grid
        table={table}
        rows={rows}
        order={order}
        sort={sort}
        leaveOut={(one) => leave({ ...removed, [one.document_id]: UNWANTED })}
        remove={(column) => change(columns.filter((one) => one !== column))}
        show={(cell, column) => {
          from.current = document.activeElement;
          setOpen({ cell, column });
        }}
      />
      <LeftOut table={table} removed={removed} put={leave} />
      <Flow count={count} />
      {saved && <Certainty notes={notes} put={(next) => keep((now) => ({ notes: { ...now.notes, [id]: next } }))} />}
      {problem && <ProblemBox problem={problem} />}
      {table.agreement && <AgreementTable agreement={table.agreement} />}
      {table.notes.map((note) => (
        <p key={note} class="caution">
          <Said words={note} />
        </p>
      ))}
      <SaveTable table={table} columns={columns} without={Object.keys(removed)} notes={{ ...Object.fromEntries(Object.entries(notes).filter(([, said]) => said.trim())), "Papers": t`Found: ${count.found}. Screened: ${papers(count.looked)}. Left out: ${count.out.map(([reason, number]) => `${reason}: ${number}`).join("; ") || t`none`}. Kept: ${papers(count.kept)}.` }} />
      <Exports answer={answer.trace_id} />
      {open && row && <PlacePane answer={answer} row={row} cell={open.cell} column={open.column} close={close} />}
    </>
  );
}

function Filters({ table, filter, change, shown }: { table: EvidenceTable; filter: Filter; change: (filter: Filter) => void; shown: number }): JSX.Element {
  const designs = [...new Set(table.rows.map(named))].sort();
  return (
    <div class="row filters">
      <label>
        Filter <input type="search" value={filter.words} onInput={(event) => change({ ...filter, words: event.currentTarget.value })} />
      </label>
      <label>
        Design{" "}
        <select value={filter.design} onChange={(event) => change({ ...filter, design: event.currentTarget.value })}>
          <option value="">all</option>
          {designs.map((design) => (
            <option key={design} value={design}>
              {design}
            </option>
          ))}
        </select>
      </label>
      <label class="check">
        <input type="checkbox" checked={filter.retracted} onChange={(event) => change({ ...filter, retracted: event.currentTarget.checked })} /> Show retracted
      </label>
      <p class="dim" role="status">
        {table.rows.length === 1 ? t`${shown} of 1 study` : t`${shown} of ${table.rows.length} studies`}
      </p>
    </div>
  );
}

/** What is saved has the columns that are chosen, also one that the page is still filling. */
function SaveTable({ table, columns, without, notes }: { table: EvidenceTable; columns: string[]; without: string[]; notes: Record<string, string> }): JSX.Element {
  const [problem, setProblem] = useState<Problem | null>(null);
  const write = (form: "csv" | "docx"): void => {
    const made = fetchFile("POST", answerPath(table.trace_id, `table?format=${form}`), { columns, without, ...(form === "docx" && { notes }) });
    saveFile(`medground-${table.trace_id}${form === "docx" ? "-table" : ""}.${form}`, made).catch((error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <>
      <p class="row">
        <button type="button" onClick={() => write("docx")}>
          Save the table as Word
        </button>
        <button type="button" onClick={() => write("csv")}>
          Save the table as CSV
        </button>
      </p>
      {problem && <ProblemBox problem={problem} />}
    </>
  );
}
