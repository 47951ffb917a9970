// An answer: the notice, the decision and its support in words, then each sentence with its verdict and its quotes.
import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { answerView } from "../api";
import { AnswerBody } from "../parts/body";
import { Cited } from "../parts/cite";
import { useLoaded } from "../parts/loading";
import { NoticeBox, ProblemBox } from "../parts/problem";
import { SourcePane } from "../parts/source";
import { address, go, type Route } from "../router";
import type { Answered } from "../types";

export function AnswerPage({ route }: { route: Route }): JSX.Element {
  const id = route.parts[0] ?? "";
  const loaded = useLoaded((signal) => answerView(id, signal), id);
  if (loaded.state === "loading") return <p class="column dim">Loading the answer</p>;
  if (loaded.state === "failed") {
    return (
      <div class="column">
        <h1>Answer</h1>
        <ProblemBox problem={loaded.problem} />
      </div>
    );
  }
  return <Shown answer={loaded.value} open={route.parts[1] === "cite" ? (route.parts[2] ?? "") : ""} />;
}

function Shown({ answer, open }: { answer: Answered; open: string }): JSX.Element {
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
    go(address("answer", [answer.trace_id]), true);
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
          {answer.read_as && <p class="dim">{answer.read_as}</p>}
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
        {quote && source && <SourcePane answer={answer} quote={quote} document={source} close={close} />}
      </div>
    </Cited.Provider>
  );
}
