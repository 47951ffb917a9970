// A document beside the answer: the quote in its place, marked, with what a reader must know of the paper.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { documentText } from "../api";
import { authorsOf, sharedId } from "../names";
import { address } from "../router";
import { said } from "../server";
import { CodePoints, oneLine } from "../text";
import type { Answered, DocumentText, Evidence, SourceDocument } from "../types";
import { DocumentBody } from "./document";
import { type Loaded, useLoaded } from "./loading";
import { ProblemBox } from "./problem";
import { Said } from "./said";
import { t } from "../words";

interface Props {
  answer: Answered;
  quote: Evidence;
  document: SourceDocument;
  close: () => void;
  /** Whether the reader asked for it, and goes on there. */
  focused: boolean;
}

export function SourcePane({ answer, quote, document: source, close, focused }: Props): JSX.Element {
  const loaded = useLoaded((signal) => documentText(quote.document_id, answer.corpora, signal), quote.document_id);
  const pane = useRef<HTMLElement>(null);
  const quotes = answer.evidence.filter((one) => one.document_id === source.id);

  useEffect(() => {
    if (focused) pane.current?.focus({ preventScroll: true });
  }, [quote.id, focused]);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) close();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [close]);
  useEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const mark = pane.current?.querySelector<HTMLElement>("mark.chosen");
    if (focused) mark?.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
    else if (pane.current && mark) pane.current.scrollTop = mark.offsetTop - pane.current.clientHeight / 2;
  }, [quote.id, loaded.state, focused]);

  return (
    <aside class="source" ref={pane} tabIndex={-1} aria-label={t`Source of ${quote.id}`} data-testid="source">
      <div class="bar">
        <p class="strong">
          [{quote.id}] Source {source.number}
        </p>
        <CopyLink to={address("answer", [answer.trace_id, "cite", quote.id])} />
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
        <KnownOf source={source} place={quote.place} />
      </div>
      <About source={source} />
      <Text loaded={loaded} quote={quote} quotes={quotes} />
      {quotes.length > 1 && (
        <p class="dim">
          Quoted from this source:{" "}
          {quotes.map((one) => (
            <a key={one.id} class="cite" href={address("answer", [answer.trace_id, "cite", one.id])} aria-current={one.id === quote.id ? "true" : undefined}>
              [{one.id}]
            </a>
          ))}
        </p>
      )}
    </aside>
  );
}

/** What a reader must know of a paper, in sight wherever its text is scrolled. */
function KnownOf({ source, place }: { source: SourceDocument; place: string }): JSX.Element {
  const facts = [source.journal, source.year ? String(source.year) : t`year not stated`, said(source.design) || t`design not stated`, said(place)];
  return (
    <div class="known">
      {source.retraction_words && <p class="retraction"><Said words={source.retraction_words} /></p>}
      <p class="dim" data-testid="about-source">
        {facts.filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}

function About({ source }: { source: SourceDocument }): JSX.Element {
  const pubmed = source.url.startsWith("https://pubmed.ncbi.nlm.nih.gov/");
  return (
    <>
      <h2 dir="auto">{source.title}</h2>
      {source.cautions.map((caution) => (
        <p key={caution} class="caution">
          <Said words={caution} />
        </p>
      ))}
      <p>
        <span class="dim">{[authorsOf(source), sharedId(source.id)].filter(Boolean).join(" · ")}</span>{" "}
        {source.url && (
          <a href={source.url} target="_blank" rel="noopener noreferrer">
            {pubmed ? t`Open in PubMed` : t`Open the source`}
          </a>
        )}
      </p>
    </>
  );
}

/** The text of a document with its quotes marked. */
export function Text({ loaded, quote, quotes }: { loaded: Loaded<DocumentText>; quote: Evidence; quotes: Evidence[] }): JSX.Element {
  const raw = loaded.state === "loaded" ? loaded.value.text : "";
  const text = useMemo(() => new CodePoints(raw), [raw]);
  if (loaded.state === "loading") return <p class="dim">Loading the text</p>;
  const verbatim = <blockquote dir="auto">{quote.quote}</blockquote>;
  if (loaded.state === "failed") {
    return (
      <>
        {verbatim}
        <ProblemBox problem={{ ...loaded.problem, title: t`The whole text cannot be shown` }} />
      </>
    );
  }
  if (oneLine(text.slice(quote.start, quote.end)) !== oneLine(quote.quote)) {
    return (
      <>
        {verbatim}
        <p class="caution">The document has changed since this answer: the quoted words are no longer at this place.</p>
      </>
    );
  }
  return <DocumentBody document={loaded.value} slices={quotes} chosen={quote.id} />;
}

function CopyLink({ to }: { to: string }): JSX.Element {
  const [copied, setCopied] = useState("");
  const copy = (): void => {
    const whole = new URL(to, location.href).href;
    navigator.clipboard.writeText(whole).then(
      () => setCopied(t`Copied`),
      () => setCopied(t`Copy the address of this page`),
    );
  };
  return (
    <>
      <button type="button" class="quiet" onClick={copy}>
        Copy link
      </button>
      <span class="dim" role="status">
        {copied}
      </span>
    </>
  );
}
