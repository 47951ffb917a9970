// What an answer says: decision, sentences, what was left out, where sources disagree, facts, sources, what was searched.
import type { JSX } from "preact";
import { address } from "../router";
import type { Answered } from "../types";
import { Cites } from "./cite";
import { Conflicts } from "./conflicts";
import { Exports } from "./exports";
import { Facts } from "./facts";
import { placesOf, Searches } from "./searches";
import { Sentences } from "./sentences";
import { Ways } from "./ways";

export function AnswerBody({ answer }: { answer: Answered }): JSX.Element {
  return (
    <>
      <Ways answer={answer.trace_id} here="answer" report={answer.report !== null} />
      <section class="decision" aria-label="Decision" data-status={answer.status}>
        <p class="headline">{answer.headline}</p>
        {answer.reason && <p>{answer.reason}</p>}
        {answer.stopped && <p class="caution">Stopped early: {answer.stopped}</p>}
      </section>
      {answer.sentences.length > 0 && <Sentences sentences={answer.sentences} />}
      {answer.support && <p class="strong">{answer.support}</p>}
      <p class="row">
        <a class="button" href={address("ask", [], { follow: answer.trace_id })}>
          Ask a follow-up question
        </a>
        <a href={address("ask", [], { question: answer.question, ...placesOf(answer.chosen) })}>Edit the question and ask again</a>
        <a href={address("compare", [], { question: answer.question, ...placesOf(answer.chosen) })}>Compare recipes</a>
      </p>
      {answer.facts.length > 0 && <Facts facts={answer.facts} />}
      {answer.conflicts.length > 0 && <Conflicts answer={answer} />}
      {answer.dropped.length > 0 && (
        <section>
          <h2>Left out because verification failed</h2>
          <ul>
            {answer.dropped.map((dropped) => (
              <li key={dropped.text}>
                {dropped.text} <span class="dim">{dropped.reason}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <Sources answer={answer} />
      <Searches answer={answer} />
      <Exports answer={answer.trace_id} />
      <section>
        <h2>About this answer</h2>
        <ul class="notes">
          {answer.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
        <details>
          <summary>Details</summary>
          <ul class="notes dim">
            {answer.details.map((detail) => (
              <li key={detail}>{detail}</li>
            ))}
          </ul>
        </details>
      </section>
    </>
  );
}

function Sources({ answer }: { answer: Answered }): JSX.Element | null {
  if (!answer.documents.length) return null;
  return (
    <section>
      <h2>Sources</h2>
      <ol class="sources">
        {answer.documents.map((one) => (
          <li key={one.id} value={one.number} data-testid="source-entry">
            <p dir="auto">
              {one.reference} <span class="dim">{one.id}</span>{" "}
              {one.url && (
                <a href={one.url} target="_blank" rel="noopener noreferrer">
                  {one.url.startsWith("https://pubmed.ncbi.nlm.nih.gov/") ? "PubMed" : "Open"}
                  <span class="unseen"> (source {one.number})</span>
                </a>
              )}
            </p>
            {one.retraction_words && <p class="retraction">{one.retraction_words}</p>}
            {one.cautions.map((caution) => (
              <p key={caution} class="caution">
                {caution}
              </p>
            ))}
            <p class="dim">{one.evidence.length ? <>Quoted:<Cites ids={one.evidence} /></> : !one.aside && "Found, but not cited."}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
