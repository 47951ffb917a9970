import type { JSX } from "preact";
import { address } from "../router";
import type { Answered, Search } from "../types";
import type { Draft } from "../views/draft";
import { Mark } from "./mark";

/** Whether a query is in PubMed's syntax rather than in plain words. */
export const isPubMed = (query: string): boolean => /\[[a-z][a-z :/-]*\]/i.test(query) || /\b(AND|OR|NOT)\b/.test(query);

/** Where a source of an answer is searched again: a corpus by its name, PubMed, or all that is searched by default. */
export function searchedIn(source: string): Partial<Draft> {
  const [kind, ...name] = source.split(":");
  if (kind === "corpus") return { chosen: true, corpora: [name.join(":")], sources: [] };
  if (kind === "pubmed") return { chosen: true, corpora: [], sources: ["pubmed"] };
  return {};
}

/** What was searched, with each query as it was sent, and what could not be searched. */
export function Searches({ answer }: { answer: Answered }): JSX.Element | null {
  if (!answer.searches.length) return null;
  const failed = [...new Set(answer.searches.filter((search) => search.status === "failed").map((search) => search.words))];
  return (
    <section>
      <h2>What was searched</h2>
      {failed.map((words) => (
        <p key={words} class="bad verdict" data-testid="failed-source">
          <Mark shape="alert" style="bad" /> <span>{words}</span>
        </p>
      ))}
      <ul class="searches">
        {answer.searches.map((search, number) => (
          <li key={number}>
            <span class="strong">{search.name}</span>: <code dir="auto">{search.query}</code> <span class="dim">{search.status === "failed" ? "Failed." : search.words}</span>{" "}
            {canBeSearched(search) && (
              <a href={address("search", [], { q: search.query, in: search.source })}>
                Edit and search again<span class="unseen">: {search.query}</span>
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

const canBeSearched = (search: Search): boolean => /^(corpus|pubmed)(:|$)/.test(search.source);
