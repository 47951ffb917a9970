// Search again with a query of one's own: by words and meaning, or in PubMed's syntax. Nothing is answered here.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { offers, search, strategy } from "../api";
import { useLoaded } from "../parts/loading";
import { Places } from "../parts/places";
import { NoticeBox, ProblemBox, problemOf } from "../parts/problem";
import { isPubMed, placesOf, searchedIn } from "../parts/searches";
import { StrategyFound } from "../parts/strategy";
import { address, go, type Route } from "../router";
import { sharedId } from "../names";
import { oneLine } from "../text";
import type { Problem, SearchResult, Strategy } from "../types";
import { MARKS } from "./document";
import { type Draft, emptyDraft } from "./draft";
import { Field } from "./options";
import { Said } from "../parts/said";
import { many, t } from "../words";

export function SearchPage({ route }: { route: Route }): JSX.Element {
  const asked = route.query.get("q") ?? "";
  const [draft, setDraft] = useState<Draft>(() => ({ ...emptyDraft, question: asked, ...searchedIn(route.query.get("in") ?? "") }));
  /** What the reader chose; until then the syntax is that of what is typed. */
  const [syntax, setSyntax] = useState<boolean | null>(null);
  const pubmed = syntax ?? isPubMed(draft.question);
  const [found, setFound] = useState<SearchResult | null>(null);
  const [lines, setLines] = useState<Strategy | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const offered = useLoaded(offers, "offers");

  const run = (): void => {
    if (!draft.question.trim() || busy) return;
    setBusy(true);
    setProblem(null);
    setFound(null);
    setLines(null);
    const places = draft.chosen && { corpora: draft.corpora, sources: draft.sources };
    const typed = draft.question.split("\n").filter((line) => line.trim());
    if (pubmed && typed.length > 1) {
      strategy({ lines: typed, ...places })
        .then(setLines, (error: unknown) => setProblem(problemOf(error)))
        .finally(() => setBusy(false));
      return;
    }
    search({
      text: draft.question,
      limit: 20,
      syntax: pubmed ? "pubmed" : "words",
      ...places,
    })
      .then(setFound, (error: unknown) => setProblem(problemOf(error)))
      .finally(() => setBusy(false));
  };
  useEffect(() => {
    if (asked) run();
  }, []);

  return (
    <div class="column">
      <h1>Search</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Field label="Query">
          {(id) => (
            <textarea id={id} class="query" rows={3} dir="auto" maxLength={4000} spellcheck={false} value={draft.question} onInput={(e) => setDraft({ ...draft, question: e.currentTarget.value })} />
          )}
        </Field>
        <label class="check">
          <input type="checkbox" checked={pubmed} onChange={(e) => setSyntax(e.currentTarget.checked)} />
          <span>
            PubMed syntax <span class="dim">AND, OR, NOT, [mesh], [tiab]; a line for each search, and #1 AND #2; else words and meaning</span>
          </span>
        </label>
        {offered.state === "loaded" && <Places draft={draft} change={(changes) => setDraft({ ...draft, ...changes })} offers={offered.value} recall={!asked} />}
        <div class="row">
          <button type="submit" class="primary" disabled={busy || !draft.question.trim()}>
            {busy ? t`Searching` : t`Search`}
          </button>
          {!pubmed && draft.question.trim() && (
            <button type="button" onClick={() => go(address("ask", [], { question: draft.question, ...placesOf(draft.chosen ? draft : null) }))}>
              Ask this as a question
            </button>
          )}
        </div>
      </form>
      {problem && <ProblemBox problem={problem} />}
      {lines && <StrategyFound found={lines} places={draft.chosen ? [...draft.corpora, ...draft.sources] : []} />}
      {found && <Found found={found} corpora={draft.chosen ? draft.corpora : []} />}
    </div>
  );
}

function Found({ found, corpora }: { found: SearchResult; corpora: string[] }): JSX.Element {
  const failed = found.searches.filter((one) => one.status === "failed");
  return (
    <section>
      {found.notice && <NoticeBox notice={found.notice} />}
      <div role="status">
        <h2>{many(found.hits.length, "passage")}</h2>
      </div>
      {failed.map((one) => (
        <p key={one.source} class="bad">
          Could not search {one.source}: <Said words={one.error ?? ""} />
        </p>
      ))}
      {found.notes.map((note) => (
        <p key={note} class="dim">
          <Said words={note} />
        </p>
      ))}
      <ol class="hits">
        {found.hits.map(({ passage }) => {
          const place = [["start", String(passage.start)], ["end", String(passage.end)], ...corpora.map((name) => ["corpus", name])];
          return (
            <li key={`${passage.document_id}#${passage.start}`} data-testid="hit">
              <p class="strong" dir="auto">
                <a href={`${address("document", [passage.document_id])}?${new URLSearchParams(place as [string, string][])}`}>{oneLine(passage.title) || passage.document_id}</a>
              </p>
              {passage.retraction !== "none" && <p class="retraction">{MARKS[passage.retraction]}</p>}
              <p dir="auto">{oneLine(passage.text)}</p>
              <p class="dim">{[sharedId(passage.document_id), passage.year, passage.section && oneLine(passage.section).toLowerCase()].filter(Boolean).join(" · ")}</p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
