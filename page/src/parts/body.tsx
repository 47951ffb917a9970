// What an answer says: warnings, decision, sentences, papers, where they disagree, stored facts; how it was made comes last.
import type { JSX } from "preact";
import { address } from "../router";
import type { Answered } from "../types";
import { AskButton, FollowUp } from "./asking";
import { Cites } from "./cite";
import { Conflicts } from "./conflicts";
import { Exports } from "./exports";
import { Facts } from "./facts";
import { Keep } from "./keep";
import { Mark } from "./mark";
import { askedOn } from "./paper";
import { Papers } from "./papers";
import { Said } from "./said";
import { placesOf, Searches } from "./searches";
import { Sentences } from "./sentences";
import { Ways } from "./ways";
import { t } from "../words";

/** Characters of a first line from which it is set smaller, so that it is read without scrolling. */
const LONG = 160;
const ABOVE = /^(Warning: |Could not search |Stopped early: )/;

export function AnswerBody({ answer }: { answer: Answered }): JSX.Element {
  const [first, ...rest] = answer.sentences;
  const lead = first && first.text.split(/\s+/).join(" ") === answer.headline ? first : null; // a quote stands for the answer
  const sentences = lead ? rest : answer.sentences;
  return (
    <>
      <Ways answer={answer.trace_id} here="answer" report={answer.report !== null} />
      <section class="decision" aria-label="Decision" data-status={answer.status} data-testid={lead ? "sentence" : undefined}>
        <p class={`headline ${lead ? "quoted" : ""} ${answer.headline.length > LONG ? "long" : ""}`}>
          {lead ? <span lang="en">{answer.headline}</span> : <Said words={answer.headline} />}
          {lead && <Cites ids={lead.citations} />}
        </p>
        {answer.reason && (
          <p class={lead ? "dim hint" : undefined}>
            <Said words={answer.reason} />
          </p>
        )}
        {answer.stopped && <p class="caution">Stopped early: <Said words={answer.stopped} /></p>}
        <Instead answer={answer} />
      </section>
      <Warnings answer={answer} />
      {sentences.length > 0 && <Sentences sentences={sentences} />}
      {answer.support && (
        <p class="strong">
          <Said words={answer.support} />
        </p>
      )}
      <FollowUp answer={answer.trace_id} />
      <Papers answer={answer} />
      {answer.conflicts.length > 0 && <Conflicts answer={answer} />}
      {answer.facts.length > 0 && <Facts facts={answer.facts} />}
      {answer.dropped.length > 0 && (
        <section>
          <h2>Left out because verification failed</h2>
          <ul>
            {answer.dropped.map((dropped) => (
              <li key={dropped.text}>
                <span dir="auto">{dropped.text}</span> <Said words={dropped.reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Keep and share</h2>
        <Keep answer={answer} />
        <Exports answer={answer.trace_id} />
      </section>
      <section>
        <h2>About this answer</h2>
        <ul class="notes">
          <li>{askedOn(answer)}</li>
          {answer.notes
            .filter((note) => !ABOVE.test(note))
            .map((note) => (
              <li key={note}>
                <Said words={note} />
              </li>
            ))}
          {answer.status !== "unanswerable" && (
            <li class="unprinted">
              <EditAgain answer={answer} />
            </li>
          )}
        </ul>
        <details>
          <summary>Details</summary>
          <Searches answer={answer} />
          <ul class="notes dim">
            {answer.details.map((detail) => (
              <li key={detail} lang="en">{detail}</li>
            ))}
          </ul>
          <p class="row">
            <a href={address("trace", [answer.trace_id])}>Timeline</a>
            <a href={address("compare", [], { question: answer.question, ...placesOf(answer.chosen) })}>Compare methods</a>
          </p>
        </details>
      </section>
    </>
  );
}

/** What a reader must know beside the answer: what failed, and what was found but may not be used. */
function Warnings({ answer }: { answer: Answered }): JSX.Element {
  const failed = [...new Set(answer.searches.filter((search) => search.status === "failed").map((search) => search.words))];
  return (
    <>
      {failed.map((words) => (
        <p key={words} class="bad verdict" data-testid="failed-source">
          <Mark shape="alert" style="bad" /> <Said words={words} />
        </p>
      ))}
      {answer.notes
        .filter((note) => note.startsWith("Warning: ") && !(failed.length && note.includes(" could not be searched: ")))
        .map((note) => (
          <p key={note} class="caution verdict">
            <Mark shape="alert" style="caution" /> <Said words={note.slice("Warning: ".length)} />
          </p>
        ))}
    </>
  );
}

const EditAgain = ({ answer }: { answer: Answered }): JSX.Element => <a href={address("ask", [], { question: answer.question, ...placesOf(answer.chosen) })}>Edit the question and ask again</a>;

/** What to do where nothing was found: no answer is a dead end. */
function Instead({ answer }: { answer: Answered }): JSX.Element | null {
  const { nearby, unsearched, chosen, question } = answer;
  if (!nearby.length && !unsearched.length && answer.status !== "unanswerable") return null;
  return (
    <p class="row">
      {nearby.map((one) => (
        <AskButton key={one} draft={{ question: one, ...(chosen && { ...chosen, chosen: true }) }} words={one} />
      ))}
      {unsearched.length > 0 && <AskButton draft={{ question, corpora: [...(chosen?.corpora ?? []), ...unsearched], sources: chosen?.sources ?? [], chosen: true }} words={unsearched.length === 1 ? t`Search it too` : t`Search them too`} />}
      {answer.status === "unanswerable" && <EditAgain answer={answer} />}
    </p>
  );
}
