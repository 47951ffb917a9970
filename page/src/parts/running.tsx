import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { follow, stopJob } from "../api";
import type { Problem } from "../types";
import { ProblemBox, problemOf } from "./problem";
import { said } from "../server";
import { t } from "../words";

/** One question under way: what it does now, and a button that stops it. `ended` gets the id of its answer, or "". */
export function Running({ job, ended }: { job: string; ended: (answer: string) => void }): JSX.Element {
  const [words, setWords] = useState(t`waiting for its turn`);
  const [over, setOver] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const control = new AbortController();
    const listener = {
      event: (event: Parameters<Parameters<typeof follow>[1]["event"]>[0]): void => {
        if (event.words) setWords(said(event.words));
        if (!["answer", "done", "failed", "stopped"].includes(event.type)) return;
        setOver(true);
        if (event.problem) setProblem(event.problem);
        ended(event.trace_id ?? event.problem?.trace_id ?? "");
      },
      waiting: (): void => setWords(t`the connection was lost; it is being taken up again`),
    };
    follow(job, listener, control.signal).catch((error: unknown) => {
      setProblem(problemOf(error));
      ended("");
    });
    return () => control.abort();
  }, [job]);
  return (
    <>
      <p role="status" class="dim">
        {over ? t`Ended.` : words}
      </p>
      {problem && <ProblemBox problem={problem} />}
      {!over && (
        <button type="button" class="quiet" onClick={() => stopJob(job).catch((error: unknown) => setProblem(problemOf(error)))}>
          Stop
        </button>
      )}
    </>
  );
}
