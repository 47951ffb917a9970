import type { JSX } from "preact";
import { address } from "../router";
import type { Answered } from "../types";
import { Mark } from "./mark";

/** What was searched, with each query as it was sent, and what could not be searched. */
export function Searches({ answer }: { answer: Answered }): JSX.Element | null {
  if (!answer.searches.length) return null;
  const failed = answer.searches.filter((search) => search.status === "failed");
  return (
    <section>
      <h2>What was searched</h2>
      {failed.map((search, number) => (
        <p key={number} class="bad verdict" data-testid="failed-source">
          <Mark shape="alert" style="bad" /> <span>{search.words}</span>
        </p>
      ))}
      <ul class="searches">
        {answer.searches.map((search, number) => (
          <li key={number}>
            <span class="strong">{search.name}</span>: <code dir="auto">{search.query}</code>{" "}
            <span class="dim">{search.status === "failed" ? "Failed." : search.words}</span>{" "}
            <a href={address("ask", [], { question: search.query })}>
              Edit and ask<span class="unseen"> with this query</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
