// Saved work: projects with their questions and notes, and questions that are watched.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { offers } from "../api";
import { AskButton, sameAs } from "../parts/asking";
import { day } from "../parts/figures";
import { useLoaded } from "../parts/loading";
import { ProblemBox, problemOf } from "../parts/problem";
import { titleOf } from "../names";
import { said } from "../server";
import { capital } from "../text";
import { address } from "../router";
import { changedSince, type Project, save, type SavedWork, useSaved, type Watched } from "../saved";
import type { Offers, Problem } from "../types";
import { t } from "../words";

export function SavedPage(): JSX.Element {
  const saved = useSaved();
  const offered = useLoaded(offers, "offers");
  const [problem, setProblem] = useState<Problem | null>(null);
  const change = (changed: (saved: SavedWork) => Partial<SavedWork>): void => void save(changed).catch((error: unknown) => setProblem(problemOf(error)));
  return (
    <div class="column">
      <h1>Saved work</h1>
      {problem && <ProblemBox problem={problem} />}
      {!saved && <p class="dim">Loading what you saved</p>}
      {saved && saved.projects.length + saved.watched.length === 0 && (
        <p>
          Nothing is saved yet. Under each answer you can save it to a project, or watch its question for new papers. <a href={address("ask")}>Ask a question</a>
        </p>
      )}
      {saved && saved.watched.length > 0 && (
        <section aria-labelledby="watched">
          <h2 id="watched">Questions that you watch</h2>
          <ul class="cards">
            {saved.watched.map((one) => (
              <Watch key={one.answer} one={one} offers={offered.state === "loaded" ? offered.value : null} change={change} />
            ))}
          </ul>
        </section>
      )}
      {saved?.projects.map((one) => (
        <ProjectView key={one.name} one={one} change={change} />
      ))}
    </div>
  );
}

type Change = (changed: (saved: SavedWork) => Partial<SavedWork>) => void;

function Watch({ one, offers, change }: { one: Watched; offers: Offers | null; change: Change }): JSX.Element {
  const names = !one.again && offers ? changedSince(one, offers) : [];
  const titles = names.map((name) => titleOf(offers?.corpora.find((other) => other.name === name) ?? ({ name } as never)));
  return (
    <li>
      <h3 dir="auto">
        <a href={address("answer", [one.answer])}>{one.question}</a>
      </h3>
      <p class={one.again || titles.length ? "strong" : "dim"}>
        {one.again ? t`Asked again on ${day(one.asked)}: there is something new.` : titles.length ? t`Changed since ${day(one.asked)}: ${titles.join(", ")}.` : t`Asked on ${day(one.asked)}. Nothing new since.`}
      </p>
      {one.failed && <p class="caution">It could not be asked again: {said(one.failed)}</p>}
      <p class="row">
        {one.again ? (
          <a class="button" href={address("compare", [one.answer, one.again], { since: "1" })}>
            See what changed
          </a>
        ) : (
          <AskButton draft={() => sameAs(one.answer)} more={{ since: one.answer }} words="Ask again and show what changed" />
        )}
        <button type="button" class="quiet" onClick={() => change((saved) => ({ watched: saved.watched.filter((other) => other.answer !== one.answer) }))}>
          Stop watching
        </button>
      </p>
    </li>
  );
}

function ProjectView({ one, change }: { one: Project; change: Change }): JSX.Element {
  const [note, setNote] = useState(one.note);
  const put = (changes: Partial<Project>): void => change((saved) => ({ projects: saved.projects.map((other) => (other.name === one.name ? { ...other, ...changes } : other)) }));
  return (
    <section aria-label={one.name} data-testid="project">
      <h2 dir="auto">{capital(one.name)}</h2>
      <ul class="cards">
        {one.items.map((item) => (
          <li key={item.answer}>
            <h3 dir="auto">
              <a href={address("answer", [item.answer])}>{item.question}</a>
            </h3>
            <p class="acts">
              <a href={address("table", [item.answer])}>Evidence table</a>
              <button type="button" class="link" aria-label={t`Remove: ${item.question}`} onClick={() => put({ items: one.items.filter((other) => other.answer !== item.answer) })}>
                Remove
              </button>
            </p>
          </li>
        ))}
      </ul>
      <label class="field">
        Notes
        <textarea rows={3} dir="auto" maxLength={20000} value={note} onInput={(event) => setNote(event.currentTarget.value)} onBlur={() => note !== one.note && put({ note })} />
      </label>
      {one.items.length === 0 && (
        <button type="button" class="quiet" onClick={() => change((saved) => ({ projects: saved.projects.filter((other) => other.name !== one.name) }))}>
          Delete this project
        </button>
      )}
    </section>
  );
}
