import type { JSX } from "preact";
import { ApiError } from "../api";
import { address } from "../router";
import { langOf, said } from "../server";
import type { Notice, Problem } from "../types";
import { Said } from "./said";
import { t } from "../words";

/** An error as something to show: what is wrong, then what to do. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  const detail = error instanceof Error ? error.message : t`Something failed on this page.`;
  return { type: "page", title: t`Error`, status: 0, detail, next: t`Reload the page.` };
}

export function ProblemBox({ problem }: { problem: Problem }): JSX.Element {
  return (
    <>
      {problem.notice && <NoticeBox notice={problem.notice} />}
      <div class="problem" role="alert">
        <p>
          <strong>
            <Said words={problem.title} />.
          </strong>{" "}
          <Said words={problem.detail} />
        </p>
        <p>
          <Said words={problem.next} />
        </p>
      </div>
    </>
  );
}

/** A page that could not be loaded. */
export function Lost({ title, problem }: { title: string; problem: Problem }): JSX.Element {
  return (
    <div class="column">
      <h1>{title}</h1>
      <ProblemBox problem={problem} />
      <p>
        <a href={address("ask")}>Ask a question</a>
      </p>
    </div>
  );
}

/** Numbers to call, and sites: links, so that a phone calls them. */
const HELP = /(\b\d{3,4}(?: \d{3})?\b|\b\w+\.com\b)/;

/** Where a person at risk finds help. It comes before anything else. */
export function NoticeBox({ notice }: { notice: Notice }): JSX.Element {
  return (
    <div class="notice" role="note" aria-label="Important">
      <p lang={langOf(notice.sentence)}>{said(notice.sentence).split(HELP).map((part, place) => (place % 2 ? <a href={part.includes(".") ? `https://${part}` : `tel:${part.replaceAll(" ", "")}`}>{part}</a> : part))}</p>
    </div>
  );
}
