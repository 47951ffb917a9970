// The questions that were asked: search them, open one, follow it up, delete one or all.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { deleteAnswer, deleteAnswers, history, type PastAnswer } from "../keeping";
import { AskButton, sameAs } from "../parts/asking";
import { QuestionsUnderWay } from "../parts/builds";
import { Confirm } from "../parts/confirm";
import { day, many } from "../parts/figures";
import { ProblemBox, problemOf } from "../parts/problem";
import { address } from "../router";
import { type Session, useSession } from "../session";
import { oneLine } from "../text";
import type { Problem } from "../types";
import { t } from "../words";

const MOST_SEARCHED = 2000;

export function HistoryPage(): JSX.Element {
  const session = useSession();
  const [answers, setAnswers] = useState<PastAnswer[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [words, setWords] = useState("");
  const [deleting, setDeleting] = useState<PastAnswer | "all" | null>(null);
  const [said, setSaid] = useState("");
  const search = useRef<HTMLInputElement>(null);

  const failed = (error: unknown): void => {
    setProblem(problemOf(error));
    setState((before) => (before === "loading" ? "failed" : before));
  };
  const more = (before: string | null, signal?: AbortSignal): void => {
    history(before, signal).then((page) => {
      setAnswers((had) => [...(before ? had : []), ...page.answers]);
      setNext(page.next);
      setState("loaded");
    }, (error: unknown) => signal?.aborted || failed(error));
  };
  useEffect(() => {
    const control = new AbortController();
    more(null, control.signal);
    return () => control.abort();
  }, []);
  useEffect(() => {
    if (words.trim() && next && answers.length < MOST_SEARCHED) more(next); // a search looks at all questions
  }, [words, next]);

  const shown = useMemo(() => found(answers, words), [answers, words]);
  const done = (message: string): void => {
    setDeleting(null);
    setSaid(message);
    search.current?.focus();
  };
  const remove = (): void => {
    const chosen = deleting;
    setProblem(null);
    if (chosen === "all") {
      deleteAnswers().then(({ deleted }) => {
        setAnswers([]);
        setNext(null);
        done(t`${many(deleted, "question")} deleted`);
      }, (error: unknown) => (setDeleting(null), failed(error)));
    } else if (chosen) {
      deleteAnswer(chosen.trace_id).then(() => {
        setAnswers((had) => had.filter((one) => one.trace_id !== chosen.trace_id));
        done(t`The question was deleted`);
      }, (error: unknown) => (setDeleting(null), failed(error)));
    }
  };

  return (
    <div class="column">
      <h1>My questions</h1>
      <p class="dim">{kept(session)}</p>
      {problem && <ProblemBox problem={problem} />}
      <QuestionsUnderWay />
      {state === "loading" && <p class="dim">Loading your questions</p>}
      {state === "loaded" && (
        <>
          <div class="row">
            <div class="field grow">
              <label for="search">Search your questions</label>
              <input id="search" ref={search} type="search" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
            </div>
            {answers.length > 0 && (
              <button type="button" class="quiet" onClick={() => setDeleting("all")}>
                Delete all
              </button>
            )}
          </div>
          <p class="dim" role="status">
            {said || (words.trim() ? many(shown.length, "question") : "")}
          </p>
          {answers.length === 0 && (
            <p>
              You have asked nothing yet. <a href={address("ask")}>Ask a question</a>
            </p>
          )}
          {answers.length > 0 && shown.length === 0 && <p>No question contains these words.</p>}
          <ul class="cards">
            {shown.map((one) => (
              <Past key={one.trace_id} one={one} remove={() => setDeleting(one)} />
            ))}
          </ul>
          {next && !words.trim() && (
            <button type="button" onClick={() => more(next)}>
              Show earlier questions
            </button>
          )}
        </>
      )}
      {deleting && (
        <Confirm
          title={deleting === "all" ? t`Delete all your questions?` : t`Delete this question?`}
          words={deleting === "all" ? t`All your questions, their answers and all that was kept of them are deleted. This cannot be undone.` : t`“${oneLine(deleting.question)}”, its answer and all that was kept of it are deleted. This cannot be undone.`}
          action={deleting === "all" ? t`Delete all` : t`Delete`}
          yes={remove}
          no={() => setDeleting(null)}
        />
      )}
    </div>
  );
}

function Past({ one, remove }: { one: PastAnswer; remove: () => void }): JSX.Element {
  const question = oneLine(one.question);
  return (
    <li>
      <h2 dir="auto">
        <a href={address("answer", [one.trace_id])}>{question}</a>
      </h2>
      <p class="dim">
        <span lang={one.value ? "en" : undefined}>{outcome(one)}</span> · <time dateTime={one.created}>{day(one.created)}</time>
      </p>
      <p class="acts">
        <a href={address("ask", [], { follow: one.trace_id })} aria-label={t`Follow up: ${question}`}>
          Follow up
        </a>
        <AskButton draft={() => sameAs(one.trace_id)} more={{ since: one.trace_id }} words="What changed since?" />
        <button type="button" class="link" onClick={remove} aria-label={t`Delete: ${question}`}>
          Delete
        </button>
      </p>
    </li>
  );
}

function outcome(one: PastAnswer): string {
  const decided = { decided: one.value ?? t`answered`, "not judged": t`quotes, not judged`, unanswerable: t`no answer found` };
  return `${decided[one.status]}${one.stopped ? t`, stopped early` : ""}`;
}

function kept(session: Session | null): string {
  if (!session) return "";
  const days = session.keep_days === null ? t`are kept until you delete them` : t`are deleted after ${many(session.keep_days, "day")}`;
  return t`Your questions and their answers are on this server, for you alone, and ${days}.`;
}

const found = (answers: PastAnswer[], words: string): PastAnswer[] => {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return answers.filter((one) => wanted.every((word) => one.question.toLowerCase().includes(word)));
};
