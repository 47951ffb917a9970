// A question that is being answered: each step in words, and a button that stops it and keeps what was found.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { follow, job, offers, stopJob } from "../api";
import { NoticeBox, ProblemBox, problemOf } from "../parts/problem";
import { address, go, type Route } from "../router";
import { Said as InWords } from "../parts/said";
import { save, statesOf } from "../saved";
import { capital, oneLine } from "../text";
import type { Job, JobEvent, Problem } from "../types";
import { t } from "../words";

interface Said {
  id: number;
  words: string;
  failed: boolean;
  /** A sentence of the answer as it was written, before it is checked. */
  draft: boolean;
}

export function AskedPage({ route }: { route: Route }): JSX.Element {
  const id = route.parts[0] ?? "";
  const [asked, setAsked] = useState<Job | null>(null);
  const [said, setSaid] = useState<Said[]>([]);
  const [ended, setEnded] = useState<JobEvent | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [stopping, setStopping] = useState(false);
  const [waiting, setWaiting] = useState(false);
  const stop = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    const control = new AbortController();
    job(id).then(setAsked, () => undefined); // the events say what is wrong
    const event = (one: JobEvent): void => {
      setWaiting(false);
      if (one.words) setSaid((before) => told(before, one));
      if (one.type === "answer" && one.trace_id) answered(one.trace_id, route.query);
      else if (one.type === "stopped" || one.type === "failed" || one.type === "done" || one.type === "answer") {
        setEnded(one);
        setProblem(one.problem ?? null);
      }
    };
    follow(id, { event, waiting: () => setWaiting(true) }, control.signal).catch((error: unknown) => setProblem(problemOf(error)));
    return () => control.abort();
  }, [id]);

  const busy = !ended && !problem;
  const stopIt = (): void => {
    setStopping(true);
    stopJob(id).catch((error: unknown) => {
      setStopping(false);
      setProblem(problemOf(error));
    });
  };

  const now = said.at(-1)?.words ?? "";
  return (
    <div class="column">
      {problem?.notice && <NoticeBox notice={problem.notice} />}
      <h1 class="question" dir="auto">
        {asked ? oneLine(asked.title) : t`Your question`}
      </h1>
      <p class={busy ? "now" : "unseen"} aria-live="polite" data-testid="live">
        {busy ? <InWords words={now} /> : ended?.type === "stopped" ? t`Stopped.` : ""}
      </p>
      {problem && <ProblemBox problem={{ ...problem, notice: null }} />}
      {ended && <Ended event={ended} question={asked?.title ?? ""} places={route.query.get("in") ?? ""} />}
      <details hidden={said.length === 0}>
        <summary>What was done so far</summary>
      <ol class="steps" aria-label="Progress">
        {said.map((one, number) => (
          <li key={one.id} class={one.draft ? "draft" : one.failed ? "bad" : busy && number === said.length - 1 ? "now" : ""}>
            {one.failed && <span class="unseen">Failed: </span>}
            <InWords words={one.words} />
          </li>
        ))}
      </ol>
      </details>
      {waiting && busy && <p class="caution">The connection was lost. Reconnecting.</p>}
      {busy && (
        <p>
          <button type="button" ref={stop} onClick={stopIt} disabled={stopping}>
            {stopping ? t`Stopping` : t`Stop and keep what was found`}
          </button>
        </p>
      )}
    </div>
  );
}

/** Show the answer, or its table with the columns chosen before; one asked again beside the former one, in whose place it is watched. */
function answered(id: string, asked: URLSearchParams): void {
  const [since, view, columns] = [asked.get("since"), asked.get("to") ?? "answer", asked.get("c")];
  if (!since) return go(address(view, [id], view === "table" ? { all: "1", ...(columns && { c: columns }) } : {}), true);
  const show = (): void => go(address("compare", [since, id], { since: "1" }), true);
  offers().then((now) => save((saved) => ({ watched: saved.watched.map((one) => (one.answer === since ? { answer: id, question: one.question, asked: new Date().toISOString(), states: statesOf(now) } : one)) }))).then(show, show);
}

/** The steps with one more; a step that repeats the one before is not told twice. */
function told(before: Said[], event: JobEvent): Said[] {
  const words = capital(oneLine(event.words));
  if (before.some((one) => one.id === event.id) || before.at(-1)?.words === words) return before;
  return [...before, { id: event.id, words, failed: event.step?.status === "failed", draft: event.step?.type === "written" }];
}

function Ended({ event, question, places }: { event: JobEvent; question: string; places: string }): JSX.Element {
  const kept = event.trace_id ?? event.problem?.trace_id;
  return (
    <div class="ended">
      {event.type === "stopped" && <p>Stopped. {kept ? t`What was found is kept.` : t`Nothing was found before it stopped.`}</p>}
      {kept && (
        <p>
          <a class="button" href={address("answer", [kept])}>
            Read what was found
          </a>
        </p>
      )}
      <p>
        <a href={address("ask", [], { ...(question && { question }), ...(places && { in: places }) })}>Ask again</a>
      </p>
    </div>
  );
}
