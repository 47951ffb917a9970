import type { JSX } from "preact";
import type { Sentence, Verdict } from "../types";
import { Cite, Cites } from "./cite";
import { Mark } from "./mark";
import { Said } from "./said";

/** Sentences of an answer, each with its citations and its verdict: a mark, and words where it does not say all. */
export function Sentences({ sentences }: { sentences: Sentence[] }): JSX.Element {
  return (
    <div class="sentences">
      {sentences.map((sentence) => (
        <SentenceLine key={sentence.start} sentence={sentence} />
      ))}
    </div>
  );
}

function SentenceLine({ sentence }: { sentence: Sentence }): JSX.Element {
  const many = new Set(sentence.verdicts.map((verdict) => verdict.words)).size > 1;
  const plain = sentence.verdicts.every((verdict) => verdict.plain);
  const verdicts = many ? sentence.verdicts : sentence.verdicts.slice(0, plain ? 0 : 1);
  const [first] = sentence.verdicts;
  return (
    <div class="sentence" data-testid="sentence">
      <p dir="auto">
        {sentence.text}
        <Cites ids={sentence.citations} />
        {sentence.web && <span class="caution"> (web page)</span>}
        {plain && !many && first && (
          <>
            {" "}
            <Mark shape={first.shape} style={first.style} />
            <span class="unseen">
              <Said words={first.words} />
            </span>
          </>
        )}
      </p>
      {verdicts.map((verdict) => (
        <VerdictLine key={verdict.text} verdict={verdict} named={many} />
      ))}
    </div>
  );
}

function VerdictLine({ verdict, named }: { verdict: Verdict; named: boolean }): JSX.Element {
  return (
    <p class={`verdict ${verdict.style}`}>
      <Mark shape={verdict.shape} style={verdict.style} />
      <span>
        {named && <span class="dim">“{verdict.text}”: </span>}
        <Said words={verdict.words} />
        {verdict.deciding && (
          <>
            {" "}
            Deciding quote: <Cite id={verdict.deciding} />
          </>
        )}
      </span>
    </p>
  );
}
