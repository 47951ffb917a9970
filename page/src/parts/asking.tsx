// A question that is asked at once: an example, a nearby one, or the same again.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { answerView, startJob } from "../api";
import { address, go, readRoute } from "../router";
import type { Problem } from "../types";
import { askedOf, type Draft, emptyDraft } from "../views/draft";
import { QuestionField } from "./combobox";
import { ProblemBox, problemOf } from "./problem";
import { placesOf } from "./searches";

/** Send a question and show how it is answered. */
export async function askNow(draft: Partial<Draft>, follow = "", more: Record<string, string> = {}): Promise<void> {
  const whole = { ...emptyDraft, ...draft };
  const started = await startJob(askedOf(whole, follow));
  const columns = readRoute(location.hash).query.get("c");
  go(address("asked", [started.id], { ...placesOf(whole.chosen ? whole : null), ...more, ...(more.to === "table" && columns && { c: columns }) }));
}

/** The question of an answer, with what was chosen to be searched for it. */
export async function sameAs(id: string): Promise<Partial<Draft>> {
  const { question, chosen } = await answerView(id);
  return { question, ...(chosen && { ...chosen, chosen: true }) };
}

interface AskProps {
  draft: Partial<Draft> | (() => Promise<Partial<Draft>>);
  words: string;
  more?: Record<string, string>;
}

export function AskButton({ draft, words, more = {} }: AskProps): JSX.Element {
  const [problem, setProblem] = useState<Problem | null>(null);
  const ask = async (): Promise<void> => askNow(typeof draft === "function" ? await draft() : draft, "", more);
  return (
    <>
      <button type="button" class="suggested" dir="auto" onClick={() => void ask().catch((error: unknown) => setProblem(problemOf(error)))}>
        {words}
      </button>
      {problem && <ProblemBox problem={problem} />}
    </>
  );
}

/** The next question, under an answer. What was searched for that answer is searched again. */
export function FollowUp({ answer }: { answer: string }): JSX.Element {
  const [question, setQuestion] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = (): void => {
    if (!question.trim()) return;
    setProblem(null);
    askNow({ question }, answer).catch((error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <form
      class="follow"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <QuestionField label="Ask a follow-up question" rows={2} value={question} onValue={setQuestion} onSubmit={send} />
      <p class="row">
        <button type="submit" disabled={!question.trim()}>
          Ask
        </button>
        <a href={address("ask", [], { follow: answer })}>Choose what it searches</a>
      </p>
      {problem && <ProblemBox problem={problem} />}
    </form>
  );
}
