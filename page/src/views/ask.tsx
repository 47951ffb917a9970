// Ask a question: the question first, and what narrows it only when it is wanted.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { answerView, offers, startJob } from "../api";
import { QuestionField } from "../parts/combobox";
import { useLoaded } from "../parts/loading";
import { ProblemBox, problemOf } from "../parts/problem";
import { placesOf, searchedIn, useKept } from "../parts/searches";
import { address, go, type Route } from "../router";
import type { Problem } from "../types";
import { askedOf, type Draft, emptyDraft } from "./draft";
import { Options, searchedWords } from "./options";

export function AskPage({ route }: { route: Route }): JSX.Element {
  const given = route.query;
  const follow = given.get("follow") ?? "";
  const [draft, setDraft] = useState<Draft>(() => ({ ...emptyDraft, question: given.get("question") ?? "", ...searchedIn(given.get("in") ?? "") }));
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const offered = useLoaded(offers, "offers");
  const form = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (given.has("question")) setDraft((before) => ({ ...before, question: given.get("question") ?? "" }));
  }, [given.get("question")]);

  useKept(route, draft);
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const send = (): void => {
    if (sending || !draft.question.trim()) return;
    setSending(true);
    setProblem(null);
    startJob(askedOf(draft, follow)).then(
      (started) => go(address("asked", [started.id], placesOf(draft.chosen ? draft : null))),
      (error: unknown) => {
        setSending(false);
        setProblem(problemOf(error));
      },
    );
  };

  return (
    <div class="column ask">
      <h1>{follow ? "Ask a follow-up question" : "Ask a biomedical question"}</h1>
      {follow && <Followed id={follow} chosen={(chosen) => !draft.chosen && change({ ...chosen, chosen: true })} />}
      <p id="about-asking" class="dim">
        {follow
          ? "The documents of that answer are searched too. Words such as “it” refer to its subject."
          : "Each sentence of the answer is checked against the literature, and cites the exact words it rests on."}
      </p>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <QuestionField
          label="Question"
          value={draft.question}
          onValue={(question) => change({ question })}
          onSubmit={send}
          describedBy="about-asking"
        />
        <div class="row">
          <button type="submit" class="primary" disabled={sending || !draft.question.trim()}>
            {sending ? "Sending" : "Ask"}
          </button>
          <p class="dim hint">Enter asks. Shift + Enter starts a new line.</p>
        </div>
        {offered.state === "loaded" && (
          <p class="dim" data-testid="places">
            {searchedWords(draft, offered.value)}
          </p>
        )}
        {problem && <ProblemBox problem={problem} />}
        {offered.state === "loaded" && <Options draft={draft} change={change} offers={offered.value} />}
        {offered.state === "failed" && <ProblemBox problem={offered.problem} />}
      </form>
    </div>
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
      After: <a href={address("answer", [id])}>{loaded.state === "loaded" ? loaded.value.question : id}</a>
    </p>
  );
}
