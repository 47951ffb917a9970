// The table itself: a row for each study, fixed columns, then those of the reader.
import type { JSX } from "preact";
import { sharedId } from "../../names";
import { Cites } from "../cite";
import { type Key, named, type Order } from "./sorting";
import { type Cell, type EvidenceTable, type Row, STANCES } from "./types";
import { t, word } from "../../words";
import { Said } from "../said";

interface Props {
  table: EvidenceTable;
  rows: Row[];
  order: Order;
  sort: (key: Key) => void;
  remove: (column: string) => void;
  show: (cell: Cell, column: string) => void;
  leaveOut: (row: Row) => void;
}

export function Grid({ table, rows, order, sort, remove, show, leaveOut }: Props): JSX.Element {
  const head = (key: Key, words: string, more?: JSX.Element): JSX.Element => (
    <th scope="col" aria-sort={order.key === key ? (order.down ? "descending" : "ascending") : "none"}>
      <button type="button" class="sort" onClick={() => sort(key)}>
        {words}
        <span aria-hidden="true">{order.key === key ? (order.down ? " ↓" : " ↑") : ""}</span>
      </button>
      {more}
      <span class="on-paper">{words}</span>
    </th>
  );
  return (
    <div class="scroll" role="region" aria-label="Evidence table" tabIndex={0}>
      <table class="studies" data-testid="evidence-table">
        <thead>
          <tr>
            {head("study", t`Study`)}
            {head("year", t`Year`)}
            {head("design", t`Design`)}
            {head("stance", t`Stance`)}
            {table.columns.map((column, number) =>
              head(
                number,
                word(column),
                <button type="button" class="remove" aria-label={t`Remove the column ${column}`} onClick={() => remove(column)}>
                  ×
                </button>,
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Study key={row.document_id} row={row} columns={table.columns} show={show} leaveOut={leaveOut} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Study({ row, columns, show, leaveOut }: { row: Row; columns: string[]; show: Props["show"]; leaveOut: Props["leaveOut"] }): JSX.Element {
  const stance = STANCES[row.stance];
  return (
    <>
      <tr data-document={row.document_id}>
        <th scope="row">
          <span dir="auto">{row.title}</span>
          {row.retraction_words && <span class="retraction">{row.retraction_words}</span>}
          <span class="dim">
            {[row.journal, sharedId(row.document_id)].filter(Boolean).join(" · ")}{" "}
            {row.url && (
              <a href={row.url} target="_blank" rel="noopener noreferrer">
                {row.url.startsWith("https://pubmed.ncbi.nlm.nih.gov/") ? "PubMed" : t`Open`}
                <span class="unseen"> ({row.title})</span>
              </a>
            )}{" "}
            <button type="button" class="link" onClick={() => leaveOut(row)}>
              Leave out<span class="unseen"> {row.title}</span>
            </button>
          </span>
        </th>
        <td>{row.year ?? t`not stated`}</td>
        <td>{named(row)}</td>
        <td>
          <span aria-hidden="true">{stance.sign}</span> {stance.words}
        </td>
        {row.cells.map((cell, number) => (
          <td key={columns[number]}>
            <Filled cell={cell} column={columns[number] ?? ""} show={show} />
          </td>
        ))}
      </tr>
      <tr class="quoted">
        <td colSpan={4 + row.cells.length}>
          <span class="dim">Quoted in the answer</span>
          {row.quotes.map((quote) => (
            <p key={quote.id} dir="auto">
              “{quote.quote}”
              <Cites ids={[quote.id]} />
              {quote.place && <span class="dim"> <Said words={quote.place} /></span>}
            </p>
          ))}
          {[...new Set(row.verdicts.map((verdict) => verdict.words))].map((words) => (
            <p key={words} class="dim">
              <Said words={words} />
            </p>
          ))}
        </td>
      </tr>
    </>
  );
}

/** A cell is a quote, `not reported`, or `failed` with its reason: three things that look and read differently. */
function Filled({ cell, column, show }: { cell: Cell; column: string; show: Props["show"] }): JSX.Element {
  if (cell.state === "quoted") {
    return (
      <div data-state="quoted">
        <span dir="auto">“{cell.quote}”</span>{" "}
        <button type="button" class="link" onClick={() => show(cell, column)}>
          In the text<span class="unseen"> ({column} of {sharedId(cell.document_id) || t`this study`})</span>
        </button>
      </div>
    );
  }
  if (cell.state === "failed") {
    return (
      <div class="bad" data-state="failed">
        <span class="strong">Failed</span>: <Said words={cell.reason} />
      </div>
    );
  }
  return (
    <div class="dim" data-state="not reported" title={cell.reason}>
      Not reported
    </div>
  );
}
