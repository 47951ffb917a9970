// Long work that goes on at the server: it is found again after a reload, with its progress and Stop.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { follow, get, stopJob } from "../api";
import { said as inWords } from "../server";
import { capital } from "../text";
import { address } from "../router";
import type { Job, JobEvent, Problem } from "../types";
import { count } from "./figures";
import { ProblemBox, problemOf } from "./problem";
import { Said } from "./said";
import { t } from "../words";

/** Work that waits or runs: builds, or else questions and research. */
export function useUnderWay(builds: boolean): Job[] {
  const [jobs, setJobs] = useState<Job[]>([]);
  useEffect(() => {
    const control = new AbortController();
    get<{ jobs: Job[] }>("/v1/jobs", control.signal).then(
      (told) => setJobs(told.jobs.filter((one) => (one.kind === "build") === builds && ["queued", "running"].includes(one.state))),
      () => undefined, // what is under way is then not shown
    );
    return () => control.abort();
  }, [builds]);
  return jobs;
}

/** Questions that are still being answered. */
export function QuestionsUnderWay(): JSX.Element | null {
  const jobs = useUnderWay(false);
  if (!jobs.length) return null;
  return (
    <section aria-label="Under way">
      <ul class="cards">
        {jobs.map((one) => (
          <li key={one.id}>
            <h2 dir="auto">
              <a href={address("asked", [one.id])}>{one.title}</a>
            </h2>
            <p class="dim">Under way</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One build: what it does now, and how it ended. */
export function Build({ job, over = [], done }: { job: Job; over?: { name: string; reason: string }[]; done: () => void }): JSX.Element {
  const [event, setEvent] = useState<JobEvent | null>(null);
  const [words, setWords] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const control = new AbortController();
    const heard = (one: JobEvent): void => {
      setEvent(one);
      if (one.words) setWords(one.words);
      if (one.problem) setProblem(one.problem);
      if (one.type === "done") done();
    };
    follow(job.id, { event: heard, waiting: () => undefined }, control.signal).catch((error: unknown) => setProblem(problemOf(error)));
    return () => control.abort();
  }, [job.id]);
  const ended = problem !== null || ["done", "failed", "stopped"].includes(event?.type ?? "");
  const share = event?.of ? (event.done ?? 0) / event.of : undefined;
  const figures = !ended && event?.done ? `: ${count(event.done)}${event.of ? t` of ${count(event.of)}` : ""}` : "";
  const said = event?.type === "stopped" ? t`Stopped. The collection is as it was before.` : problem ? t`Not built.` : `${inWords(words || t`Waiting in line`)}${figures}`;
  return (
    <section class="building" aria-label={t`Building ${job.title}`}>
      <p role="status">
        <span class="strong">{capital(job.title.replaceAll(/[-_]+/g, " "))}:</span> {said}
      </p>
      {problem && event?.type !== "stopped" && <ProblemBox problem={problem} />}
      {!ended && (
        <p class="row">
          <progress aria-label={`${job.title}: ${words}`} max={1} {...(share === undefined ? {} : { value: share })} />
          <button type="button" onClick={() => void stopJob(job.id).catch((error: unknown) => setProblem(problemOf(error)))}>
            Stop
          </button>
        </p>
      )}
      {event?.type === "done" && <p>{<a href={address("ask", [], { in: `corpus:${job.title}` })}>Ask it a question</a>}</p>}
      {event?.type === "done" && over.length > 0 && (
        <>
          <h3>Files that were skipped</h3>
          <ul class="notes">
            {over.map((file) => (
              <li key={file.name}>
                <span class="strong">{file.name}</span>: <Said words={file.reason} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
