// An answer: the notice, the decision and its support in words, then each sentence with its verdict and its quotes.
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { answerView } from "../api";
import { AnswerBody } from "../parts/body";
import { Cited } from "../parts/cite";
import { useLoaded } from "../parts/loading";
import { Said } from "../parts/said";
import { Lost, NoticeBox } from "../parts/problem";
import { SourcePane } from "../parts/source";
import { address, go, type Route } from "../router";
import { useSaved } from "../saved";
import type { Answered } from "../types";
import { t } from "../words";

/** Where a document is shown beside the answer, as in `look.css`. */
const WIDE = "(min-width: 70rem)";

export function AnswerPage({ route }: { route: Route }): JSX.Element {
  const id = route.parts[0] ?? "";
  const loaded = useLoaded((signal) => answerView(id, signal), id);
  const saved = useSaved();
  if (loaded.state === "loading") return <p class="column dim">Loading the answer</p>;
  if (loaded.state === "failed") return <Lost title={t`Answer`} problem={loaded.problem} />;
  const [, way, cited = ""] = route.parts;
  const answer = without(loaded.value, Object.keys(saved?.removed[id] ?? {}));
  // Beside a wide page there is room for the first quote, where it stands in its document.
  const first = !way && !answer.notice?.stops && matchMedia(WIDE).matches ? (answer.sentences.find((one) => one.citations.length)?.citations[0] ?? "") : "";
  return <Shown answer={answer} open={way === "cite" ? cited : first} asked={way === "cite"} />;
}

/** An answer without what rests on papers alone that the reader left out of its table. */
function without(answer: Answered, removed: string[]): Answered {
  if (!removed.length) return answer;
  const evidence = answer.evidence.filter((one) => !removed.includes(one.document_id));
  const left = new Set(evidence.map((one) => one.id));
  const some = (ids: string[]): boolean => ids.some((id) => left.has(id));
  return {
    ...answer,
    notes: [`Warning: ${removed.length === 1 ? t`One paper was left out by you in the evidence table, with what rests on it alone. The decision was made before that.` : t`${removed.length} papers were left out by you in the evidence table, with what rests on them alone. The decision was made before that.`}`, ...answer.notes],
    evidence,
    documents: answer.documents.filter((one) => !removed.includes(one.id)),
    sentences: answer.sentences.filter((one) => !one.citations.length || some(one.citations)).map((one) => ({ ...one, citations: one.citations.filter((id) => left.has(id)) })),
    conflicts: answer.conflicts.filter((one) => one.sides.every((side) => some(side.evidence))),
    facts: answer.facts.filter((one) => left.has(one.evidence)),
  };
}

/** `asked`: whether the reader opened this quote, and is there now. */
function Shown({ answer, open, asked }: { answer: Answered; open: string; asked: boolean }): JSX.Element {
  const quote = answer.evidence.find((one) => one.id === open);
  const source = answer.documents.find((one) => one.id === quote?.document_id);
  const from = useRef<HTMLElement | null>(null);
  const context = useMemo(() => ({ answer: answer.trace_id, open, studies: Object.fromEntries(answer.evidence.map((one) => [one.id, one.study])) }), [answer, open]);

  useEffect(() => {
    document.title = `${answer.question.slice(0, 80)} · Medground`;
  }, [answer]);

  // Where the reader was before a quote was opened, so that the focus can return there.
  const remember = useCallback((event: MouseEvent): void => {
    const link = (event.target as Element).closest<HTMLElement>("a[data-cite]");
    if (link) from.current = link;
  }, []);
  const close = useCallback((): void => {
    go(address("answer", [answer.trace_id, "alone"]), true);
    const mark = from.current?.isConnected ? from.current : document.querySelector<HTMLElement>(`a[data-cite="${CSS.escape(open)}"]`);
    mark?.focus();
  }, [answer, open]);

  return (
    <Cited.Provider value={context}>
      <div class={quote && source ? "beside" : ""} onClick={remember}>
        <article class="column">
          {answer.notice && <NoticeBox notice={answer.notice} />}
          <h1 class="question" dir="auto">
            {answer.question}
          </h1>
          {answer.read_as && (
            <p class="dim">
              <Said words={answer.read_as} />
            </p>
          )}
          {answer.context && <p class="dim">{answer.context}</p>}
          {answer.options.length > 0 && (
            <ul class="choices">
              {answer.options.map((option) => (
                <li key={option.letter}>
                  {option.letter}. {option.text}
                </li>
              ))}
            </ul>
          )}
          {!answer.notice?.stops && <AnswerBody answer={answer} />}
        </article>
        {quote && source && <SourcePane answer={answer} quote={quote} document={source} close={close} focused={asked} />}
      </div>
    </Cited.Provider>
  );
}
