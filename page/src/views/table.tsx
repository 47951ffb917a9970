// The studies of an answer: a table with the reader's own columns, a plot by year and design, how far they agree.
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { answerView, call, fetchFile } from "../api";
import { Cited } from "../parts/cite";
import { Exports, save } from "../parts/exports";
import { useLoaded } from "../parts/loading";
import { ProblemBox, problemOf } from "../parts/problem";
import { AgreementTable } from "../parts/studies/agreement";
import { Columns, MOST } from "../parts/studies/columns";
import { Grid } from "../parts/studies/grid";
import { PlacePane } from "../parts/studies/place";
import { Plot } from "../parts/studies/plot";
import { type Filter, filtered, type Key, named, type Order, sorted } from "../parts/studies/sorting";
import { answerPath, type Cell, type EvidenceTable } from "../parts/studies/types";
import { Ways } from "../parts/ways";
import { address, go, type Route } from "../router";
import type { Answered, Problem } from "../types";

export function TablePage({ route }: { route: Route }): JSX.Element {
  const id = route.parts[0] ?? "";
  const loaded = useLoaded((signal) => answerView(id, signal), id);
  const columns = useMemo(() => (route.query.get("c") ?? "n").split("|").filter(Boolean).slice(0, MOST), [route.query.get("c")]);
  if (loaded.state === "loading") return <p class="wide dim">Loading the studies</p>;
  if (loaded.state === "failed") {
    return (
      <div class="column">
        <h1>Evidence table</h1>
        <ProblemBox problem={loaded.problem} />
      </div>
    );
  }
  return <Studies answer={loaded.value} columns={columns} />;
}

function Studies({ answer, columns }: { answer: Answered; columns: string[] }): JSX.Element {
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

  const change = (next: string[]): void => go(address("table", [answer.trace_id], { c: next.join("|") }), true);
  const busy = !problem && table?.columns.join("|") !== asked;
  return (
    <Cited.Provider value={{ answer: answer.trace_id, open: "", studies: {} }}>
      <div class="wide">
        <Ways answer={answer.trace_id} here="table" report={answer.report !== null} />
        <h1 class="question" dir="auto">
          {answer.question}
        </h1>
        <Columns columns={columns} change={change} />
        {problem && <ProblemBox problem={problem} />}
        <p class="dim" role="status">
          {busy ? "Reading the studies" : ""}
        </p>
        {table && (table.rows.length ? <Shown answer={answer} table={table} change={change} /> : <p>This answer quotes no studies.</p>)}
      </div>
    </Cited.Provider>
  );
}

const ALL: Filter = { words: "", design: "", retracted: true };

function Shown({ answer, table, change }: { answer: Answered; table: EvidenceTable; change: (columns: string[]) => void }): JSX.Element {
  const [order, setOrder] = useState<Order>({ key: "design", down: false });
  const [filter, setFilter] = useState<Filter>(ALL);
  const [open, setOpen] = useState<{ cell: Cell; column: string } | null>(null);
  const from = useRef<Element | null>(null);
  const rows = useMemo(() => sorted(filtered(table.rows, filter), order), [table, filter, order]);
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
        remove={(column) => change(table.columns.filter((one) => one !== column))}
        show={(cell, column) => {
          from.current = document.activeElement;
          setOpen({ cell, column });
        }}
      />
      {table.agreement && <AgreementTable agreement={table.agreement} />}
      {table.notes.map((note) => (
        <p key={note} class="caution">
          {note}
        </p>
      ))}
      <SaveTable table={table} />
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
        {shown} of {table.rows.length} {table.rows.length === 1 ? "study" : "studies"}
      </p>
    </div>
  );
}

function SaveTable({ table }: { table: EvidenceTable }): JSX.Element {
  const [problem, setProblem] = useState<Problem | null>(null);
  const csv = (): void => {
    const made = fetchFile("POST", answerPath(table.trace_id, "table?format=csv"), { columns: table.columns });
    save(`medground-${table.trace_id}.csv`, made).catch((error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <>
      <p class="row">
        <button type="button" onClick={csv}>
          Save the table as CSV
        </button>
      </p>
      {problem && <ProblemBox problem={problem} />}
    </>
  );
}
