// The reader's own columns: typed, or taken from those that are often asked for.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { listed, t, word } from "../../words";

export const MOST = 10;
const LONGEST = 200;
const OFTEN = listed("population", "intervention", "comparator", "primary outcome", "n", "effect", "dose", "age", "follow-up", "adverse events", "funding");

export function Columns({ columns, compared, change }: { columns: string[]; compared: string[]; change: (columns: string[]) => void }): JSX.Element {
  const [typed, setTyped] = useState("");
  const has = (name: string): boolean => columns.some((one) => one.toLowerCase() === name.toLowerCase());
  const full = columns.length >= MOST;
  const add = (name: string): void => {
    const column = name.replaceAll("|", " ").split(/\s+/u).filter(Boolean).join(" ");
    if (column && !has(column) && !full) change([...columns, column]);
    setTyped("");
  };
  return (
    <form
      class="columns"
      onSubmit={(event) => {
        event.preventDefault();
        add(typed);
      }}
    >
      <label for="own-column">Your own columns</label>
      <div class="row">
        <input id="own-column" value={typed} maxLength={LONGEST} placeholder="such as bone mineral density" aria-describedby="own-columns" onInput={(event) => setTyped(event.currentTarget.value)} />
        <button type="submit" disabled={full || !typed.trim()}>
          Add column
        </button>
        {compared.length > 1 && !compared.every(has) && (
          <button type="button" disabled={full} onClick={() => change([...compared, ...columns.filter((one) => !compared.includes(one))].slice(0, MOST))}>
            {t`Side by side: ${compared.join(", ")}`}
          </button>
        )}
        {OFTEN.filter((name) => !has(name)).map((name) => (
          <button key={name} type="button" class="quiet" disabled={full} onClick={() => add(name)}>
            {`+ ${word(name)}`}
          </button>
        ))}
      </div>
      <p class="hint dim" id="own-columns">
        {full ? t`A table has at most ${MOST} columns of your own.` : t`Each cell quotes the study, or says that it does not report this. Not reported means that no sentence was recognised in the text that is stored, often the abstract.`}
      </p>
    </form>
  );
}
