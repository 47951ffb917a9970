// What a reviewer adds to a table: papers left out with a reason, notes on certainty, and the count of papers.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type SavedWork } from "../../saved";
import type { Answered } from "../../types";
import type { EvidenceTable } from "./types";
import { listed, many, t, word } from "../../words";

export const DOMAINS = listed("Risk of bias", "Inconsistency", "Indirectness", "Imprecision", "Publication bias", "Certainty of the evidence");
const REASONS = listed("another population", "another intervention", "another outcome", "wrong design", "duplicate", "not relevant");
/** The reason until a person gives another. */
export const UNWANTED = listed("not relevant")[0] ?? "";

export type Change = (changed: (saved: SavedWork) => Partial<SavedWork>) => void;
type Removed = Record<string, string>;

/** The papers that the reader left out. */
export function LeftOut({ table, removed, put }: { table: EvidenceTable; removed: Removed; put: (removed: Removed) => void }): JSX.Element | null {
  const rows = table.rows.filter((row) => row.document_id in removed);
  if (!rows.length) return null;
  return (
    <section aria-labelledby="left-out" data-testid="left-out">
      <h2 id="left-out">Left out by you</h2>
      <ul class="notes">
        {rows.map((row) => (
          <li key={row.document_id}>
            <span dir="auto">{row.title}</span>{" "}
            <label>
              <span class="unseen">Reason for {row.title}</span>
              <select value={removed[row.document_id]} onChange={(event) => put({ ...removed, [row.document_id]: event.currentTarget.value })}>
                {REASONS.map((reason) => (
                  <option key={reason} value={reason}>
                    {word(reason)}
                  </option>
                ))}
              </select>
            </label>{" "}
            <button
              type="button"
              class="link"
              onClick={() => put(Object.fromEntries(Object.entries(removed).filter(([id]) => id !== row.document_id)))}
            >
              Put back<span class="unseen"> {row.title}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Notes by the domains of GRADE. A person judges; nothing here is filled in by the program. */
export function Certainty({ notes, put }: { notes: Record<string, string>; put: (notes: Record<string, string>) => void }): JSX.Element {
  const [typed, setTyped] = useState(notes);
  const said = DOMAINS.filter((domain) => typed[domain]?.trim());
  return (
    <>
    {said.length > 0 && (
      <dl class="on-paper">
        {said.map((domain) => (
          <>
            <dt class="strong">{domain}</dt>
            <dd dir="auto">{typed[domain]}</dd>
          </>
        ))}
      </dl>
    )}
    <details class="certainty" open={Object.values(notes).some(Boolean)}>
      <summary>Your notes on certainty</summary>
      <p class="hint dim">By the domains of GRADE. You judge them; they are kept with the table and go into its Word file.</p>
      <div class="fields">
        {DOMAINS.map((domain) => (
          <label key={domain} class="field">
            {word(domain)}
            <textarea rows={2} dir="auto" maxLength={4000} value={typed[domain] ?? ""} onInput={(event) => setTyped({ ...typed, [domain]: event.currentTarget.value })} onBlur={() => typed[domain] !== notes[domain] && put(typed)} />
          </label>
        ))}
      </div>
    </details>
    </>
  );
}

export interface Counted {
  found: string;
  looked: number;
  out: [string, number][];
  kept: number;
}

/** From what was found to what is kept, with the reasons in between. */
export function counted(answer: Answered, table: EvidenceTable, removed: Removed): Counted {
  const read = Number(/Read, not cited: ([\d,]+)/.exec(answer.notes.join(" "))?.[1]?.replaceAll(",", "") ?? 0);
  const hits = answer.searches.reduce((sum, one) => sum + one.hits, 0);
  const rows = new Set(table.rows.map((row) => row.document_id));
  const aside = answer.documents.filter((one) => one.aside && !(one.id in removed));
  const quoted = answer.documents.filter((one) => !one.aside && rows.has(one.id) && !(one.id in removed)).length;
  const mine = table.rows.filter((row) => row.document_id in removed);
  const reasons = [...new Set(mine.map((row) => removed[row.document_id] ?? ""))];
  const unquoted = answer.documents.filter((one) => !one.aside && !rows.has(one.id)).length + read;
  const out: [string, number][] = [[t`retracted or set aside`, aside.length], [t`read, nothing quoted`, unquoted], ...reasons.map((reason): [string, number] => [word(reason), mine.filter((row) => removed[row.document_id] === reason).length])];
  return { found: many(hits, "passage"), looked: answer.documents.length + read, out: out.filter(([, number]) => number > 0), kept: quoted };
}

export const papers = (number: number): string => many(number, "paper");

export function Flow({ count }: { count: Counted }): JSX.Element {
  return (
    <figure class="flow" data-testid="prisma" aria-label="From what was found to what is kept">
      <p>
        <span class="dim">Found</span> {count.found}
      </p>
      <p>
        <span class="dim">Screened</span> {papers(count.looked)}
      </p>
      <p class="out">
        <span class="dim">Left out</span>{" "}
        {count.out.length ? count.out.map(([reason, number]) => `${reason}: ${number}`).join("; ") : t`none`}
      </p>
      <p class="strong">
        <span class="dim">Kept</span> {papers(count.kept)}
      </p>
    </figure>
  );
}
