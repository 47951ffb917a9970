// What narrows a question: its context, the way to answer, where to look, from when, and the kind of answer.
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import type { Corpus, Offers, Task } from "../types";
import type { Draft } from "./draft";

interface Props {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  offers: Offers;
}

const TASKS: [Task, string][] = [
  ["yes-no-maybe", "Yes, no or maybe"],
  ["yes-no", "Yes or no"],
  ["single-choice", "One of several options"],
  ["multiple-choice", "Any of several options"],
  ["free", "Free text"],
];

export function Options({ draft, change, offers }: Props): JSX.Element {
  return (
    <details class="options">
      <summary>Context, sources, dates and kind of answer</summary>
      <Field label="Context" hint="A patient's case or a passage. It is read with the question but never searched for or cited.">
        {(id, hint) => (
          <textarea id={id} aria-describedby={hint} rows={4} dir="auto" maxLength={16000} value={draft.context} onInput={(e) => change({ context: e.currentTarget.value })} />
        )}
      </Field>
      <div class="fields">
        <RecipeField draft={draft} change={change} offers={offers} />
        {offers.models.length > 1 && (
          <Field label="Model">
            {(id) => (
              <select id={id} value={draft.model} onChange={(e) => change({ model: e.currentTarget.value })}>
                {offers.models.map((name, number) => (
                  <option key={name} value={number ? name : ""}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field label="Kind of answer">
          {(id) => (
            <select id={id} value={draft.task} onChange={(e) => change({ task: e.currentTarget.value as Task | "" })}>
              <option value="">As the question asks</option>
              {TASKS.map(([task, words]) => (
                <option key={task} value={task}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {draft.task.endsWith("choice") && (
        <Field label="Options" hint="One in each line.">
          {(id, hint) => (
            <textarea id={id} aria-describedby={hint} rows={4} value={draft.options} onInput={(e) => change({ options: e.currentTarget.value })} />
          )}
        </Field>
      )}
      <Searched draft={draft} change={change} offers={offers} />
      <fieldset>
        <legend>Published</legend>
        <div class="fields narrow">
          <Year label="From year" value={draft.yearFrom} set={(yearFrom) => change({ yearFrom })} />
          <Year label="To year" value={draft.yearTo} set={(yearTo) => change({ yearTo })} />
          <Day label="From day" value={draft.dateFrom} set={(dateFrom) => change({ dateFrom })} />
          <Day label="To day" value={draft.dateTo} set={(dateTo) => change({ dateTo })} />
        </div>
      </fieldset>
    </details>
  );
}

function RecipeField({ draft, change, offers }: Props): JSX.Element {
  const usual = offers.recipes.find((recipe) => recipe.default);
  const shown = offers.recipes.find((recipe) => recipe.name === draft.recipe) ?? usual;
  const choose = (name: string): void => {
    const found = offers.recipes.find((recipe) => recipe.name === name);
    change({ recipe: name, researches: (found ?? usual)?.researches ?? false });
  };
  return (
    <Field label="Recipe" hint={shown?.about ?? ""}>
      {(id, hint) => (
        <select id={id} aria-describedby={hint} value={draft.recipe} onChange={(e) => choose(e.currentTarget.value)}>
          <option value="">{usual ? `${usual.name} (default)` : "Default"}</option>
          {offers.recipes
            .filter((recipe) => !recipe.default)
            .map((recipe) => (
              <option key={recipe.name} value={recipe.name}>
                {recipe.name}
                {recipe.researches ? " (a report)" : ""}
              </option>
            ))}
        </select>
      )}
    </Field>
  );
}

/** What is searched for a draft: nothing chosen means the server's own, all that there is unless it names some. */
const searchedFor = (draft: Draft, offers: Offers): { corpora: string[]; sources: string[] } =>
  draft.chosen ? draft : { corpora: offers.corpora.filter((one) => one.default).map((one) => one.name), sources: offers.sources };

/** The same in words. */
export function searchedWords(draft: Draft, offers: Offers): string {
  const { corpora, sources } = searchedFor(draft, offers);
  const names = [...corpora, ...sources];
  if (!names.length) return "Nothing is selected to search.";
  return `Searches in ${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}.`;
}

export function Searched({ draft, change, offers }: Props): JSX.Element | null {
  if (offers.corpora.length + offers.sources.length === 0) return null;
  const { corpora, sources } = searchedFor(draft, offers);
  const set = (changes: Partial<Draft>): void => change({ corpora, sources, chosen: true, ...changes });
  return (
    <fieldset>
      <legend>Search in</legend>
      {offers.corpora.map((one) => (
        <Check
          key={one.name}
          label={one.name}
          about={aboutCorpus(one)}
          disabled={Boolean(one.problem)}
          checked={corpora.includes(one.name)}
          set={(on) => set({ corpora: toggled(corpora, one.name, on) })}
        />
      ))}
      {offers.sources.map((name) => (
        <Check key={name} label={name} about="live source" checked={sources.includes(name)} set={(on) => set({ sources: toggled(sources, name, on) })} />
      ))}
    </fieldset>
  );
}

function aboutCorpus(one: Corpus): string {
  if (one.problem) return one.problem;
  return one.documents === null ? "" : `${one.documents.toLocaleString("en")} documents`;
}

const toggled = (names: string[], name: string, on: boolean): string[] => (on ? [...new Set([...names, name])] : names.filter((one) => one !== name));

function Check({ label, about, checked, disabled = false, set }: { label: string; about: string; checked: boolean; disabled?: boolean; set: (on: boolean) => void }): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} disabled={disabled} onChange={(e) => set(e.currentTarget.checked)} />
      <span>
        {label} <span class="dim">{about}</span>
      </span>
    </label>
  );
}

function Year({ label, value, set }: { label: string; value: string; set: (value: string) => void }): JSX.Element {
  return (
    <Field label={label}>
      {(id) => <input id={id} type="number" inputMode="numeric" min={1000} max={2999} value={value} onInput={(e) => set(e.currentTarget.value)} />}
    </Field>
  );
}

function Day({ label, value, set }: { label: string; value: string; set: (value: string) => void }): JSX.Element {
  return <Field label={label}>{(id) => <input id={id} type="date" value={value} onInput={(e) => set(e.currentTarget.value)} />}</Field>;
}

export function Field({ label, hint = "", children }: { label: string; hint?: string; children: (id: string, hint: string | undefined) => JSX.Element }): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id, hint ? `${id}-hint` : undefined)}
      {hint && (
        <p id={`${id}-hint`} class="dim hint">
          {hint}
        </p>
      )}
    </div>
  );
}
