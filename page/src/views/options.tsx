// What narrows a question: its case, from when, the kind of answer; and, for those who know it, the method.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import type { Offers, Task } from "../types";
import type { Draft } from "./draft";
import { Said } from "../parts/said";
import { t } from "../words";

interface Props {
  draft: Draft;
  change: (changes: Partial<Draft>) => void;
  offers: Offers;
}

const TASKS: [Task, string][] = [
  ["yes-no-maybe", t`Yes, no or maybe`],
  ["yes-no", t`Yes or no`],
  ["direction", t`Higher, lower or no difference`],
  ["single-choice", t`One of several options`],
  ["multiple-choice", t`Any of several options`],
  ["free", t`Free text`],
];

export function Options({ draft, change, offers }: Props): JSX.Element {
  return (
    <details class="options">
      <summary>A patient's case, dates and kind of answer</summary>
      <Field label="Context" hint="A patient's case or a passage, without names. It is read with the question but never searched for or cited.">
        {(id, hint) => (
          <textarea id={id} aria-describedby={hint} rows={4} dir="auto" maxLength={16000} value={draft.context} onInput={(e) => change({ context: e.currentTarget.value })} />
        )}
      </Field>
      <div class="fields">
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
      <fieldset>
        <legend>Published</legend>
        <div class="fields narrow">
          <Year label="From year" value={draft.yearFrom} set={(yearFrom) => change({ yearFrom })} />
          <Year label="To year" value={draft.yearTo} set={(yearTo) => change({ yearTo })} />
          <Day label="From day" value={draft.dateFrom} set={(dateFrom) => change({ dateFrom })} />
          <Day label="To day" value={draft.dateTo} set={(dateTo) => change({ dateTo })} />
        </div>
      </fieldset>
      <details>
        <summary>Advanced</summary>
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
        </div>
      </details>
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
    <Field label="Method" hint={shown && <Said words={shown.about} />}>
      {(id, hint) => (
        <select id={id} aria-describedby={hint} value={draft.recipe} onChange={(e) => choose(e.currentTarget.value)}>
          <option value="">{usual ? t`${usual.name} (default)` : t`Default`}</option>
          {offers.recipes
            .filter((recipe) => !recipe.default)
            .map((recipe) => (
              <option key={recipe.name} value={recipe.name}>
                {recipe.name}
                {recipe.researches ? ` (${t`a report`})` : ""}
              </option>
            ))}
        </select>
      )}
    </Field>
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

export function Field({ label, hint = "", children }: { label: string; hint?: ComponentChildren; children: (id: string, hint: string | undefined) => JSX.Element }): JSX.Element {
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
