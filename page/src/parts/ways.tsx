import type { JSX } from "preact";
import { address } from "../router";
import { t } from "../words";

const WAYS: [string, string][] = [
  ["answer", t`Answer`],
  ["table", t`Evidence table`],
  ["report", t`Report`],
];

/** The views of one answer, as links. */
export function Ways({ answer, here, report }: { answer: string; here: string; report: boolean }): JSX.Element {
  return (
    <nav class="ways" aria-label="Views of this answer">
      {WAYS.filter(([view]) => report || view !== "report").map(([view, words]) => (
        <a key={view} href={address(view, [answer])} aria-current={view === here ? "page" : undefined}>
          {words}
        </a>
      ))}
    </nav>
  );
}
