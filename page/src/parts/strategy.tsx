// A search strategy line by line: the records of each line, those of the last one once, and what is reported of a search.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { upload } from "../keeping";
import { slug } from "../names";
import { address } from "../router";
import { oneLine } from "../text";
import type { Problem, Strategy, StrategyRecord } from "../types";
import { many, t } from "../words";
import { save } from "./exports";
import { count } from "./figures";
import { Said } from "./said";
import { ProblemBox, problemOf } from "./problem";

const SHOWN = 100;

export function StrategyFound({ found, places }: { found: Strategy; places: string[] }): JSX.Element {
  const [shown, setShown] = useState(SHOWN);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [built, setBuilt] = useState("");
  const records = found.documents;
  const last = found.lines[found.lines.length - 1];
  const alike = nearDuplicates(records);
  const name = slug(typed);
  const build = (): void => {
    const file = new File([asRis(records)], `${name}.ris`, { type: "application/x-research-info-systems" });
    setProblem(null);
    upload(name, "new", "", [file], () => undefined, new AbortController().signal).then(() => setBuilt(name), (error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <section>
      <div role="status">
        <h2>{many(records.length, "record")}</h2>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Search</th>
            <th scope="col">Records</th>
          </tr>
        </thead>
        <tbody>
          {found.lines.map((line, number) => (
            <tr key={number} data-testid="line">
              <th scope="row">#{number + 1}</th>
              <td dir="auto">
                <code>{line.typed}</code>
                {line.problem && <p class="bad"><Said words={line.problem} /></p>}
              </td>
              <td>{line.records === null ? "–" : count(line.records)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {last && last.records !== null && last.records !== records.length && <p class="dim">{t`The last line has ${count(last.records)} records in all places together; ${count(records.length)} different ones are listed, 1,000 at most.`}</p>}
      {problem && <ProblemBox problem={problem} />}
      <p class="row">
        {records.length > 0 && (
          <button type="button" onClick={() => void save("records.ris", Promise.resolve(new Blob([asRis(records)])))}>
            Save all as RIS
          </button>
        )}
        <button type="button" onClick={() => void save("search.txt", Promise.resolve(new Blob([asReported(found, places)])))}>
          Save the search (PRISMA-S)
        </button>
      </p>
      {records.length > 0 && (
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              build();
            }}
          >
            <label>
              Name <input value={typed} maxLength={64} autocomplete="off" onInput={(event) => setTyped(event.currentTarget.value)} />
            </label>
            <button type="submit" disabled={!name}>
              Make a collection of all
            </button>
            {built && <a href={address("corpora")}>{t`The collection ${built} is being built`}</a>}
          </form>
      )}
      {alike.length > 0 && (
        <details>
          <summary>{many(alike.length, "near duplicate")}</summary>
          <ul>
            {alike.map(([one, other]) => (
              <li key={`${one.id} ${other.id}`} dir="auto">
                {oneLine(one.title)} <span class="dim">{`${one.id}, ${other.id}`}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <ol class="hits">
        {records.slice(0, shown).map((one) => (
          <li key={one.id} data-testid="record">
            <p class="strong" dir="auto">
              <a href={address("document", [one.id])}>{oneLine(one.title) || one.id}</a>
            </p>
            <p class="dim">{[one.id, one.authors[0], one.journal, one.year].filter(Boolean).join(" · ")}</p>
          </li>
        ))}
      </ol>
      {records.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown + SHOWN)}>
          Show more
        </button>
      )}
    </section>
  );
}

/** Records with the same DOI, or the same letters in the title, under different ids: a person decides. */
function nearDuplicates(records: StrategyRecord[]): [StrategyRecord, StrategyRecord][] {
  const seen = new Map<string, StrategyRecord>();
  const found: [StrategyRecord, StrategyRecord][] = [];
  for (const one of records) {
    const title = one.title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
    const keys = [one.identifiers.doi?.toLowerCase(), title.length > 20 ? title : undefined].filter((key) => key !== undefined);
    const other = keys.map((key) => seen.get(key)).find((known) => known !== undefined);
    if (other) found.push([other, one]);
    for (const key of keys) seen.set(key, one);
  }
  return found;
}

function asRis(records: StrategyRecord[]): string {
  const line = (tag: string, value: unknown): string => (value ? `${tag}  - ${oneLine(String(value))}\r\n` : "");
  return records
    .map((one) =>
      [
        line("TY", "JOUR"),
        line("ID", one.id),
        ...one.authors.map((author) => line("AU", author)),
        line("TI", one.title),
        line("T2", one.journal),
        line("PY", one.year),
        line("DO", one.identifiers.doi),
        line("AN", one.id.startsWith("PMID:") ? one.id.slice("PMID:".length) : one.identifiers.pmid),
        line("UR", one.url),
        line("AB", one.text),
        "ER  - \r\n",
      ].join(""),
    )
    .join("\r\n");
}

/** What PRISMA-S asks of a search: where, when, each line as it was run with its records, and what was done after. */
function asReported(found: Strategy, places: string[]): string {
  const lines = found.lines.map((line, number) => `#${number + 1}\t${line.query || line.typed}\t${line.records ?? line.problem}`);
  const [day] = new Date().toISOString().split("T");
  const head = [t`Databases: ${places.join(", ") || t`all collections`}`, "Platform: Medground", t`Date of search: ${day}`, t`Limits: none beyond the lines below`];
  const tail = [t`Records after identical ids were removed: ${found.documents.length}`, t`Near duplicates, for a person to decide: ${nearDuplicates(found.documents).length}`];
  return [...head, "", ...lines, "", ...tail, ""].join("\n");
}
