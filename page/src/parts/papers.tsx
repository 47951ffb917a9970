// The papers behind an answer: the first as cards that say what they say, the others as a list; and when they are from.
import type { JSX } from "preact";
import { address } from "../router";
import { byline } from "../names";
import { oneLine } from "../text";
import type { Answered, SourceDocument } from "../types";
import { Cites } from "./cite";
import { Said } from "./said";
import { t } from "../words";

const CARDS = 5;
const SAID = 220;
const STANCES = { supports: t`✓ For`, contradicts: t`✗ Against`, mixed: t`◐ For and against`, unknown: "" } as const;
/** From so many papers with a year on, their years are drawn. */
const DRAWN = 10;

export function Papers({ answer }: { answer: Answered }): JSX.Element | null {
  const cited = answer.documents.filter((one) => one.evidence.length);
  const others = answer.documents.filter((one) => !one.evidence.length);
  if (!answer.documents.length) return null;
  return (
    <section aria-labelledby="papers">
      <h2 id="papers">{cited.length === 1 ? t`The source` : t`The sources`}</h2>
      <Years documents={answer.documents.filter((one) => !one.aside)} />
      <ol class="papers">
        {cited.slice(0, CARDS).map((one) => (
          <Card key={one.id} answer={answer} one={one} />
        ))}
      </ol>
      <More answer={answer} list={cited.slice(CARDS)} words="more quoted" />
      <More answer={answer} list={others} words="found, not quoted" />
    </section>
  );
}

/** The other papers; open where one of them must not be missed. */
function More({ answer, list, words }: { answer: Answered; list: SourceDocument[]; words: string }): JSX.Element | null {
  if (!list.length) return null;
  return (
    <details class="printed" open={list.some((one) => one.retraction_words)}>
      <summary>
        {list.length} {words}
      </summary>
      <ol class="papers">
        {list.map((one) => (
          <Card key={one.id} answer={answer} one={one} />
        ))}
      </ol>
    </details>
  );
}

function Card({ answer, one }: { answer: Answered; one: SourceDocument }): JSX.Element {
  const quotes = answer.evidence.filter((quote) => quote.document_id === one.id);
  const [first] = quotes;
  const said = oneLine(first?.quote ?? "");
  const stances = [...new Set(quotes.map((quote) => STANCES[quote.stance]))].filter(Boolean);
  return (
    <li value={one.number} data-testid="source-entry">
      <h3 dir="auto">{first ? <a href={address("answer", [answer.trace_id, "cite", first.id])}>{one.title}</a> : one.title}</h3>
      <p class="dim">
        {byline(one)}{" "}
        {one.url && (
          <a href={one.url} target="_blank" rel="noopener noreferrer">
            {one.url.startsWith("https://pubmed.ncbi.nlm.nih.gov/") ? "PubMed" : t`Open`}
            <span class="unseen"> (source {one.number})</span>
          </a>
        )}
      </p>
      {one.retraction_words && <p class="retraction"><Said words={one.retraction_words} /></p>}
      {one.cautions.map((caution) => (
        <p key={caution} class="caution">
          <Said words={caution} />
        </p>
      ))}
      {said && (
        <p dir="auto">
          {stances.length > 0 && <span class="strong">{stances.join(", ")}: </span>}“{said.length > SAID ? `${said.slice(0, SAID).replace(/\s\S*$/u, "")} …` : said}”
          <Cites ids={one.evidence} />
        </p>
      )}
    </li>
  );
}

/** How many of the papers are from each year. */
function Years({ documents }: { documents: SourceDocument[] }): JSX.Element | null {
  const years = documents.map((one) => one.year).filter((year) => year !== null);
  if (years.length < DRAWN) return null;
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const counts = Array.from({ length: last - first + 1 }, (_, place) => years.filter((year) => year === first + place).length);
  const most = Math.max(...counts);
  return (
    <figure class="years">
      <svg viewBox={`0 0 ${counts.length * 10} 40`} preserveAspectRatio="none" role="img" aria-label={t`${years.length} papers from ${first} to ${last}`}>
        {counts.map((number, place) => (
          <rect key={place} x={place * 10 + 1} width={8} y={40 - (36 * number) / most} height={(36 * number) / most}>
            <title>{`${first + place}: ${number}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption class="dim">
        <span>{first}</span> {years.length} papers by year <span>{last}</span>
      </figcaption>
    </figure>
  );
}
