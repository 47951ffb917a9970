import type { JSX } from "preact";
import type { Answered } from "../types";
import { Said } from "./said";
import { Cite } from "./cite";

/** Sources that disagree, side by side; neither side is preferred. */
export function Conflicts({ answer }: { answer: Answered }): JSX.Element {
  return (
    <section>
      <h2>{answer.conflicts_heading}</h2>
      {answer.conflicts.map((conflict, number) => (
        <div key={number} class="conflict" data-testid="conflict">
          <p><Said words={conflict.words} /></p>
          <div class="sides">
            {conflict.sides.map((side, place) => (
              <section key={place} class="side" aria-label={side.name}>
                <h3>{side.name}</h3>
                {side.evidence.map((id) => (
                  <Quote key={id} answer={answer} id={id} />
                ))}
              </section>
            ))}
          </div>
        </div>
      ))}
    </section>
  );
}

function Quote({ answer, id }: { answer: Answered; id: string }): JSX.Element | null {
  const quote = answer.evidence.find((one) => one.id === id);
  if (!quote) return null;
  return (
    <figure>
      <blockquote dir="auto">
        {quote.quote} <Cite id={id} />
      </blockquote>
      <figcaption class="dim">{quote.study}</figcaption>
    </figure>
  );
}
