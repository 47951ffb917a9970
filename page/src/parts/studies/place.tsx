// The quote of a cell where it stands in its study.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Answered, Evidence } from "../../types";
import { documentText } from "../../api";
import { sharedId } from "../../names";
import { useLoaded } from "../loading";
import { Text } from "../source";
import type { Cell, Row } from "./types";
import { said } from "../../server";
import { t } from "../../words";

interface Props {
  answer: Answered;
  row: Row;
  cell: Cell;
  column: string;
  close: () => void;
}

export function PlacePane({ answer, row, cell, column, close }: Props): JSX.Element {
  const pane = useRef<HTMLElement>(null);
  const loaded = useLoaded((signal) => documentText(row.document_id, answer.corpora, signal), row.document_id);
  useEffect(() => pane.current?.focus({ preventScroll: true }), [cell]);
  useEffect(() => pane.current?.querySelector("mark.chosen")?.scrollIntoView({ block: "nearest" }), [cell, loaded.state]);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.key === "Escape") close();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [close]);
  const quote: Evidence = { id: column, document_id: row.document_id, start: cell.start ?? 0, end: cell.end ?? 0, quote: cell.quote, place: "", study: "", stance: "unknown", origin: "text" };
  return (
    <aside class="source" ref={pane} tabIndex={-1} aria-label={t`${column} in its study`} data-testid="place">
      <div class="bar">
        <p class="strong">{column}</p>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
      {row.retraction_words && <p class="retraction">{row.retraction_words}</p>}
      <h2 dir="auto">{row.title}</h2>
      <p class="dim">{[row.journal, row.year, said(row.design), said(cell.section ?? ""), sharedId(row.document_id)].filter(Boolean).join(" · ")}</p>
      <p class="dim">Chosen by {cell.by === "keyless" ? t`word rules, without a model` : cell.by}.</p>
      <Text loaded={loaded} quote={quote} quotes={[quote]} />
    </aside>
  );
}
