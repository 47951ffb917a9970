// One question by two methods, side by side: decisions, sentences, the documents that both quote and that one does, cost.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { answerView, offers, startJob, stopJob } from "../api";
import { Comparison } from "../parts/comparison";
import { day } from "../parts/figures";
import { useLoaded } from "../parts/loading";
import { nowhere, Places } from "../parts/places";
import { ProblemBox, problemOf } from "../parts/problem";
import { Running } from "../parts/running";
import { placesOf, searchedIn, useKept } from "../parts/searches";
import { address, go, type Route } from "../router";
import { save, type Watched } from "../saved";
import type { Asked, Offers, Problem } from "../types";
import { askedOf, type Draft, emptyDraft } from "./draft";
import { Said } from "../parts/said";
import { t } from "../words";

/** `#/compare/ID/ID` shows two answers; `#/compare?question=...` asks. */
export function ComparePage({ route }: { route: Route }): JSX.Element {
  const [first, second] = route.parts;
  if (first && second) return <Two first={first} second={second} since={route.query.has("since")} />;
  return <AskTwo route={route} />;
}

/** `since`: the second is the first question asked again. */
function Two({ first, second, since }: { first: string; second: string; since: boolean }): JSX.Element {
  useEffect(() => {
    const seen = ({ again, ...one }: Watched): Watched => (again === second ? { ...one, answer: second } : { ...one, ...(again && { again }) });
    if (since) save((now) => ({ watched: now.watched.map(seen) })).catch(() => undefined); // it is then told once more
  }, [second, since]);
  const loaded = useLoaded((signal) => Promise.all([answerView(first, signal), answerView(second, signal)]), `${first} ${second}`);
  return (
    <div class="wide">
      <h1>{since ? t`What has changed` : t`Compare methods`}</h1>
      {loaded.state === "loading" && <p class="dim">Loading both answers</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && (
        <>
          <p dir="auto" class="strong">
            {loaded.value[0].question}
          </p>
          {loaded.value[0].question !== loaded.value[1].question && <p class="caution">These answers are to two different questions. The second: {loaded.value[1].question}</p>}
          <Comparison first={loaded.value[0]} second={loaded.value[1]} since={since} names={since ? [day(loaded.value[0].created), t`Now`] : [loaded.value[0].recipe, loaded.value[1].recipe]} />
          <p hidden={since} class="unprinted">
            <a href={address("compare", [], { question: loaded.value[0].question, ...placesOf(loaded.value[0].chosen) })}>Compare other methods</a>
          </p>
        </>
      )}
    </div>
  );
}

interface Started {
  jobs: [string, string];
  recipes: [string, string];
}

function AskTwo({ route }: { route: Route }): JSX.Element {
  const offered = useLoaded(offers, "offers");
  const [started, setStarted] = useState<Started | null>(null);
  return (
    <div class="wide">
      <h1>Compare methods</h1>
      <p class="dim">Two methods answer the same question from the same sources.</p>
      {offered.state === "loading" && <p class="dim">Loading the methods</p>}
      {offered.state === "failed" && <ProblemBox problem={offered.problem} />}
      {offered.state === "loaded" && <Form offers={offered.value} route={route} started={started !== null} start={setStarted} />}
      {started && <Both started={started} again={() => setStarted(null)} />}
    </div>
  );
}

function Form({ offers, route, started, start }: { offers: Offers; route: Route; started: boolean; start: (started: Started) => void }): JSX.Element {
  const { recipes } = offers;
  const names = recipes.map((recipe) => recipe.name);
  const usual = recipes.find((recipe) => recipe.default)?.name ?? names[0] ?? "";
  const [draft, setDraft] = useState<Draft>(() => ({ ...emptyDraft, question: route.query.get("question") ?? "", ...searchedIn(route.query.get("in") ?? "") }));
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  useKept(route, draft);
  const [first, setFirst] = useState(usual);
  // The plain baseline is what a recipe is first compared with.
  const other = names.includes("rag") && usual !== "rag" ? "rag" : names.find((name) => name !== usual);
  const [second, setSecond] = useState(other ?? usual);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const ask = async (): Promise<void> => {
    setProblem(null);
    setBusy(true);
    const body = (recipe: string): Asked => askedOf({ ...draft, recipe, researches: recipes.find((one) => one.name === recipe)?.researches ?? false }, "");
    const one = await startJob(body(first));
    try {
      const other = await startJob(body(second));
      start({ jobs: [one.id, other.id], recipes: [first, second] });
    } catch (error) {
      await stopJob(one.id).catch(() => undefined); // half a comparison is of no use
      throw error;
    }
  };
  const choice = (id: string, label: string, value: string, change: (name: string) => void): JSX.Element => (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} disabled={started} onChange={(event) => change(event.currentTarget.value)}>
        {recipes.map((recipe) => (
          <option key={recipe.name} value={recipe.name}>
            {recipe.name}
          </option>
        ))}
      </select>
      <p class="hint dim"><Said words={recipes.find((recipe) => recipe.name === value)?.about ?? ""} /></p>
    </div>
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask().catch((error: unknown) => setProblem(problemOf(error))).finally(() => setBusy(false));
      }}
    >
      <div class="field">
        <label for="compared">Question</label>
        <textarea id="compared" rows={2} dir="auto" maxLength={4000} value={draft.question} disabled={started} onInput={(event) => change({ question: event.currentTarget.value })} />
      </div>
      <div class="fields">
        {choice("first-recipe", t`First method`, first, setFirst)}
        {choice("second-recipe", t`Second method`, second, setSecond)}
      </div>
      <Places draft={draft} change={change} offers={offers} recall />
      {first === second && <p class="caution">Choose two different methods.</p>}
      {problem && <ProblemBox problem={problem} />}
      <button type="submit" class="primary" disabled={started || busy || nowhere(draft, offers) || !draft.question.trim() || first === second}>
        Compare
      </button>
    </form>
  );
}

/** Both questions under way. When each has an answer, the comparison is shown. */
function Both({ started, again }: { started: Started; again: () => void }): JSX.Element {
  const [kept, setKept] = useState<[string, string]>(["", ""]);
  const [failed, setFailed] = useState(false);
  const ended = (place: 0 | 1, answer: string): void => {
    if (!answer) return setFailed(true);
    setKept((before) => {
      const now: [string, string] = place === 0 ? [answer, before[1]] : [before[0], answer];
      if (now[0] && now[1]) go(address("compare", now));
      return now;
    });
  };
  return (
    <>
      <div class="sides">
        {started.jobs.map((job, place) => (
          <section key={job} class="side" aria-label={started.recipes[place]}>
            <h2>{started.recipes[place]}</h2>
            <Running job={job} ended={(answer) => ended(place === 0 ? 0 : 1, answer)} />
          </section>
        ))}
      </div>
      {failed && (
        <p class="row">
          <span class="caution">One of the two has no answer, so there is nothing to compare.</span>
          {kept.filter(Boolean).map((answer) => (
            <a key={answer} href={address("answer", [answer])}>
              Read the other
            </a>
          ))}
          <button type="button" onClick={again}>
            Ask again
          </button>
        </p>
      )}
    </>
  );
}
