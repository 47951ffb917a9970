// Two answers side by side. What is the same and what differs is told in words.
import type { JSX } from "preact";
import { address } from "../router";
import type { Answered, SourceDocument } from "../types";
import { Cited } from "./cite";
import { NoticeBox } from "./problem";
import { Sentences } from "./sentences";

export function Comparison({ first, second }: { first: Answered; second: Answered }): JSX.Element {
  const same = first.status === second.status && first.value === second.value;
  return (
    <>
      <p data-testid="agreement">{!same ? "Their decisions differ." : first.value === null ? "Neither decides." : "Both come to the same decision."}</p>
      <div class="sides compared">
        <Column answer={first} />
        <Column answer={second} />
      </div>
      <Documents first={first} second={second} />
    </>
  );
}

function Column({ answer }: { answer: Answered }): JSX.Element {
  return (
    <Cited.Provider value={{ answer: answer.trace_id, open: "", studies: Object.fromEntries(answer.evidence.map((one) => [one.id, one.study])) }}>
      <section class="side" aria-label={answer.recipe} data-testid="compared">
        <h2>{answer.recipe}</h2>
        {answer.notice && <NoticeBox notice={answer.notice} />}
        <p class="headline">{answer.headline}</p>
        {answer.reason && <p>{answer.reason}</p>}
        {answer.stopped && <p class="caution">Stopped early: {answer.stopped}</p>}
        <Sentences sentences={answer.sentences} />
        {answer.support && <p class="strong">{answer.support}</p>}
        <p class="dim">{answer.cost}</p>
        <p class="dim">
          {answer.sentences.length} {answer.sentences.length === 1 ? "sentence" : "sentences"}, {answer.evidence.length} {answer.evidence.length === 1 ? "quote" : "quotes"}
        </p>
        <p class="row">
          <a href={address("answer", [answer.trace_id])}>
            Read this answer<span class="unseen"> of {answer.recipe}</span>
          </a>
          <a href={address("trace", [answer.trace_id])}>
            Timeline<span class="unseen"> of {answer.recipe}</span>
          </a>
        </p>
      </section>
    </Cited.Provider>
  );
}

function Documents({ first, second }: { first: Answered; second: Answered }): JSX.Element {
  const quoted = (answer: Answered): SourceDocument[] => answer.documents.filter((one) => one.evidence.length);
  const [one, other] = [quoted(first), quoted(second)];
  const ids = (list: SourceDocument[]): Set<string> => new Set(list.map((document) => document.id));
  const groups: [string, SourceDocument[]][] = [
    ["Quoted by both", one.filter((document) => ids(other).has(document.id))],
    [`Only by ${first.recipe}`, one.filter((document) => !ids(other).has(document.id))],
    [`Only by ${second.recipe}`, other.filter((document) => !ids(one).has(document.id))],
  ];
  return (
    <section>
      <h2>Documents</h2>
      <div class="sides" data-testid="shared-documents">
        {groups.map(([title, documents], number) => (
          <div key={number}>
            <h3>
              {title} ({documents.length})
            </h3>
            <ul class="notes">
              {documents.map((document) => (
                <li key={document.id} dir="auto">
                  {document.reference} <span class="dim">{document.id}</span>
                  {document.retraction_words && <span class="retraction">{document.retraction_words}</span>}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}
