// Ask a question: the question first, and what narrows it only when it is wanted.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { answerView, offers } from "../api";
import { AskButton, askNow } from "../parts/asking";
import { QuestionField } from "../parts/combobox";
import { useLoaded } from "../parts/loading";
import { nowhere, Places } from "../parts/places";
import { ProblemBox, problemOf } from "../parts/problem";
import { searchedIn, useKept } from "../parts/searches";
import { address, type Route } from "../router";
import { changedSince, useSaved } from "../saved";
import type { Offers, Problem } from "../types";
import { type Draft, emptyDraft } from "./draft";
import { Options } from "./options";
import { language, many, t } from "../words";

export function AskPage({ route }: { route: Route }): JSX.Element {
  const given = route.query;
  const follow = given.get("follow") ?? "";
  const [draft, setDraft] = useState<Draft>(() => ({ ...emptyDraft, question: given.get("question") ?? "", ...searchedIn(given.get("in") ?? "") }));
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const offered = useLoaded(offers, "offers");

  useEffect(() => {
    if (given.has("question")) setDraft((before) => ({ ...before, question: given.get("question") ?? "" }));
  }, [given.get("question")]);

  useKept(route, draft);
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const lost = offered.state === "loaded" && nowhere(draft, offered.value);
  const reports = offered.state === "loaded" && !follow && offered.value.recipes.some((one) => one.researches);
  /** `as`: what is asked for instead of what was chosen. */
  const send = (as: Partial<Draft> = {}): void => {
    if (sending || !draft.question.trim() || lost) return;
    setSending(true);
    setProblem(null);
    askNow({ ...draft, ...as }, follow).catch((error: unknown) => {
      setSending(false);
      setProblem(problemOf(error));
    });
  };

  return (
    <div class="column ask">
      <h1>{follow ? t`Ask a follow-up question` : t`Ask a biomedical question`}</h1>
      {follow && <Followed id={follow} chosen={(chosen) => !draft.chosen && change({ ...chosen, chosen: true })} />}
      <p id="about-asking" class="dim">
        {follow
          ? t`The documents of that answer are searched too. Words such as “it” refer to its subject.`
          : t`Each sentence of the answer is checked against the literature, and cites the exact words it rests on.`}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <QuestionField label="Question" focused value={draft.question} onValue={(question) => change({ question })} onSubmit={() => send()} describedBy="about-asking" />
        <div class="row">
          <button type="submit" class="primary" disabled={sending || lost || !draft.question.trim()}>
            {sending ? t`Sending` : t`Ask`}
          </button>
          {reports && (
            <button type="button" disabled={sending || lost || !draft.question.trim()} onClick={() => send({ recipe: "", researches: true })}>
              Write a report
            </button>
          )}
          <p class="dim hint">Enter asks. Shift + Enter starts a new line.</p>
        </div>
        {language !== "en" && <p class="dim hint">The literature is read in English: ask in English, also by the English names of diseases and drugs.</p>}
        {problem && <ProblemBox problem={problem} />}
        {offered.state === "failed" && <ProblemBox problem={offered.problem} />}
        {offered.state === "loaded" && (
          <>
            <Places draft={draft} change={change} offers={offered.value} recall={!follow} />
            {!follow && !draft.question && <Examples offers={offered.value} />}
            <Options draft={draft} change={change} offers={offered.value} />
          </>
        )}
      </form>
      {offered.state === "loaded" && !follow && <News offers={offered.value} />}
    </div>
  );
}

/** Questions about what is here, one of each collection first. */
function Examples({ offers }: { offers: Offers }): JSX.Element | null {
  const places = offers.corpora.filter((one) => one.default);
  const found = [...new Set([...places.map((one) => one.examples?.[0]), ...places.map((one) => one.examples?.[1])])].filter((one) => one !== undefined).slice(0, 4);
  if (!found.length) return null;
  return (
    <section class="examples" aria-label="Examples">
      <p class="dim">For example:</p>
      {found.map((question) => (
        <AskButton key={question} draft={{ question }} words={question} />
      ))}
    </section>
  );
}

/** Whether there is something new for the questions that are watched. */
function News({ offers }: { offers: Offers }): JSX.Element | null {
  const saved = useSaved();
  const changed = saved?.watched.filter((one) => one.again || changedSince(one, offers).length) ?? [];
  const [one] = changed;
  if (!one) return null;
  return (
    <p class="notice">
      {changed.some((each) => each.again) ? t`There is something new for ${many(changed.length, "question")} that you watch.` : t`There may be something new for ${many(changed.length, "question")} that you watch.`}{" "}
      <a href={one.again && changed.length === 1 ? address("compare", [one.answer, one.again], { since: "1" }) : address("saved")}>See what changed</a>
    </p>
  );
}

/** The question that is followed. What was chosen to be searched for it is searched now, unless something else was chosen. */
function Followed({ id, chosen }: { id: string; chosen: (chosen: { corpora: string[]; sources: string[] }) => void }): JSX.Element | null {
  const loaded = useLoaded((signal) => answerView(id, signal), id);
  const former = loaded.state === "loaded" ? loaded.value.chosen : null;
  useEffect(() => {
    if (former) chosen(former);
  }, [former]);
  if (loaded.state === "failed") return <ProblemBox problem={loaded.problem} />;
  return (
    <p data-testid="followed">
      After: <a href={address("answer", [id])} dir="auto">{loaded.state === "loaded" ? loaded.value.question : id}</a>
    </p>
  );
}
