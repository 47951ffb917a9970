import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { address, go, type Route } from "../router";
import { part } from "../server";
import type { Answered, Search } from "../types";
import type { Draft } from "../views/draft";
import { t } from "../words";

/** Whether a query is in PubMed's syntax, or a line of it names another, rather than in plain words. */
export const isPubMed = (query: string): boolean => /\[[a-z][a-z :/-]*\]/i.test(query) || /\b(AND|OR|NOT)\b|#\d/.test(query);

const CORPUS = "corpus:";

/** What is to be searched, as addresses name it (`in=corpus:papers,pubmed`); without names, all that is searched by default. */
export function searchedIn(places: string): Partial<Draft> {
  const names = places.split(",").filter(Boolean);
  if (!names.length) return {};
  const corpora = names.filter((name) => name.startsWith(CORPUS)).map((name) => name.slice(CORPUS.length));
  const sources = names.filter((name) => !name.startsWith(CORPUS)).map((name) => (name.startsWith("pubmed:") ? "pubmed" : name));
  return { chosen: true, corpora, sources };
}

/** The same as a part of an address; none where nothing was chosen. */
export function placesOf(chosen: { corpora: string[]; sources: string[] } | null): Record<string, string> {
  const names = chosen ? [...chosen.corpora.map((name) => CORPUS + name), ...chosen.sources] : [];
  return names.length ? { in: names.join(",") } : {};
}

/** Keep what is chosen in the address of a form, so that a reload and a link have it too. */
export function useKept(route: Route, draft: Draft): void {
  const { in: before = "", ...query } = Object.fromEntries(route.query);
  const places = placesOf(draft.chosen ? draft : null);
  useLayoutEffect(() => {
    if ((places.in ?? "") !== before) go(address(route.view, route.parts, { ...query, ...places }), true);
  }, [places.in, before]);
}

/** What was searched, with each query as it was sent. */
export function Searches({ answer }: { answer: Answered }): JSX.Element | null {
  if (!answer.searches.length) return null;
  return (
    <section>
      <h3>What was searched</h3>
      <ul class="searches">
        {answer.searches.map((search, number) => (
          <li key={number}>
            <span class="strong">{search.name}</span>: <code dir="auto">{search.query}</code> <span class="dim">{search.status === "failed" ? t`Failed.` : <Counted words={search.words.replace(/\.$/, "")} />}</span>{" "}
            {canBeSearched(search) && (
              <a href={address("search", [], { q: search.query, in: search.source })}>
                Edit and search again<span class="unseen" dir="auto">: {search.query}</span>
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How much a search found. */
const Counted = ({ words }: { words: string }): JSX.Element => <span lang={part(words) === words ? "en" : undefined}>{part(words)}</span>;

const canBeSearched = (search: Search): boolean => /^(corpus|pubmed)(:|$)/.test(search.source);
