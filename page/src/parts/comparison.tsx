// Two answers side by side. What is the same and what differs is told in words.
import type { JSX } from "preact";
import { byline } from "../names";
import { address } from "../router";
import type { Answered, SourceDocument } from "../types";
import { Cited } from "./cite";
import { AskedOn } from "./paper";
import { NoticeBox } from "./problem";
import { Said } from "./said";
import { Sentences } from "./sentences";
import { many, t } from "../words";

/** `names`: what the two are called, such as their methods. `since`: the second is the first question asked again. */
export function Comparison({ first, second, names, since = false }: { first: Answered; second: Answered; names: [string, string]; since?: boolean }): JSX.Element {
  const same = first.status === second.status && first.value === second.value;
  return (
    <>
      {since && <Documents first={first} second={second} titles={[t`Still quoted`, t`No longer quoted`, t`New`]} newest />}
      <p data-testid="agreement">{!same ? t`Their decisions differ.` : first.value === null ? t`Neither decides.` : t`Both come to the same decision.`}</p>
      <div class="sides compared">
        <Column answer={first} name={names[0]} />
        <Column answer={second} name={names[1]} />
      </div>
      {!since && <Documents first={first} second={second} titles={[t`Quoted by both`, t`Only by ${names[0]}`, t`Only by ${names[1]}`]} />}
    </>
  );
}

function Column({ answer, name }: { answer: Answered; name: string }): JSX.Element {
  return (
    <Cited.Provider value={{ answer: answer.trace_id, open: "", studies: Object.fromEntries(answer.evidence.map((one) => [one.id, one.study])) }}>
      <section class="side" aria-label={name} data-testid="compared">
        <h2>{name}</h2>
        <AskedOn answer={answer} />
        {answer.notice && <NoticeBox notice={answer.notice} />}
        <p class="headline"><Said words={answer.headline} /></p>
        {answer.reason && (
          <p>
            <Said words={answer.reason} />
          </p>
        )}
        {answer.stopped && <p class="caution">Stopped early: <Said words={answer.stopped} /></p>}
        <Sentences sentences={answer.sentences} />
        {answer.support && (
          <p class="strong">
            <Said words={answer.support} />
          </p>
        )}
        {name === answer.recipe && <p class="dim">{answer.cost}</p>}
        <p class="dim">
          {`${many(answer.sentences.length, "sentence")}, ${many(answer.evidence.length, "quote")}`}
        </p>
        <p class="row">
          <a href={address("answer", [answer.trace_id])}>
            Read this answer<span class="unseen"> of {name}</span>
          </a>
        </p>
      </section>
    </Cited.Provider>
  );
}

function Documents({ first, second, titles, newest = false }: { first: Answered; second: Answered; titles: [string, string, string]; newest?: boolean }): JSX.Element {
  const quoted = (answer: Answered): SourceDocument[] => answer.documents.filter((one) => one.evidence.length);
  const [one, other] = [quoted(first), quoted(second)];
  const ids = (list: SourceDocument[]): Set<string> => new Set(list.map((document) => document.id));
  const groups: [string, SourceDocument[]][] = [
    [titles[0], one.filter((document) => ids(other).has(document.id))],
    [titles[1], one.filter((document) => !ids(other).has(document.id))],
    [titles[2], other.filter((document) => !ids(one).has(document.id))],
  ];
  return (
    <section>
      <h2>Papers</h2>
      <div class="sides" data-testid="shared-documents">
        {(newest ? groups.reverse() : groups).map(([title, documents], number) => (
          <div key={number}>
            <h3>
              {title} ({documents.length})
            </h3>
            <ul class="notes">
              {documents.map((document) => (
                <li key={document.id} dir="auto">
                  {document.title} <span class="dim">{byline(document)}</span>
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
