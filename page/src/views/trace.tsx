// What the run of an answer did and when: each part with its seconds, tokens and money.
import type { JSX } from "preact";
import { answerView, get } from "../api";
import { useLoaded } from "../parts/loading";
import { ProblemBox } from "../parts/problem";
import { answerPath, type Span, type Timeline } from "../parts/studies/types";
import { Ways } from "../parts/ways";
import type { Route } from "../router";
import { locale, t } from "../words";

const WIDTH = 320;

export function TracePage({ route }: { route: Route }): JSX.Element {
  const id = route.parts[0] ?? "";
  const answer = useLoaded((signal) => answerView(id, signal), id);
  const loaded = useLoaded((signal) => get<Timeline>(answerPath(id, "trace"), signal), id);
  return (
    <div class="wide">
      <Ways answer={id} here="trace" report={answer.state === "loaded" && answer.value.report !== null} />
      <h1>Timeline</h1>
      {answer.state === "loaded" && <p dir="auto">{answer.value.question}</p>}
      {loaded.state === "loading" && <p class="dim">Loading the timeline</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && <Spans timeline={loaded.value} />}
    </div>
  );
}

function Spans({ timeline }: { timeline: Timeline }): JSX.Element {
  return (
    <>
      <p data-testid="trace-sum">
        {seconds(timeline.seconds)}, {tokens(timeline)}, {money(timeline.money)}
      </p>
      <div class="scroll" role="region" aria-label="Timeline" tabIndex={0}>
        <table class="spans" data-testid="timeline">
          <thead>
            <tr>
              {[t`Part`, t`From`, t`Took`, t`Tokens in and out`, t`Money`, t`When`].map((words) => (
                <th key={words} scope="col">
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {timeline.spans.map((span) => (
              <Line key={span.id} span={span} whole={timeline.seconds} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint dim">Nested parts are indented. They can run at the same time, so their seconds can add up to more than the total.</p>
    </>
  );
}

function Line({ span, whole }: { span: Span; whole: number }): JSX.Element {
  const left = whole ? (span.start / whole) * WIDTH : 0;
  const wide = whole ? (span.seconds / whole) * WIDTH : WIDTH;
  return (
    <tr data-depth={span.depth}>
      <th scope="row" class={`deep-${Math.min(span.depth, 6)}`}>
        {span.name}
        {span.words && <span class="dim"> {span.words}</span>}
        {span.model && <span class="dim"> {span.model}{span.cached && t` (from the cache)`}</span>}
        {span.status === "failed" && <span class="bad"> Failed: {span.error}</span>}
      </th>
      <td>{seconds(span.start)}</td>
      <td>{seconds(span.seconds)}</td>
      <td>{span.model ? `${span.input_tokens.toLocaleString(locale)} / ${span.output_tokens.toLocaleString(locale)}` : ""}</td>
      <td>{span.model ? money(span.money) : ""}</td>
      <td>
        <svg viewBox={`0 0 ${WIDTH} 12`} width={WIDTH} height={12} aria-hidden="true" class={span.status}>
          <rect x={0} y={5.5} width={WIDTH} height={1} class="track" />
          <rect x={Math.min(left, WIDTH - 2)} y={2} width={Math.max(wide, 2)} height={8} rx={1.5} class="bar" />
        </svg>
      </td>
    </tr>
  );
}

const seconds = (value: number): string => (value < 0.001 ? "< 1 ms" : value < 1 ? t`${Math.round(value * 1000)} ms` : `${value.toFixed(2)} s`);
const tokens = (timeline: Timeline): string =>
  timeline.input_tokens || timeline.output_tokens ? t`${timeline.input_tokens.toLocaleString(locale)} tokens in, ${timeline.output_tokens.toLocaleString(locale)} out` : t`no tokens`;

/** US dollars; a price that is not known is never shown as free. */
function money(value: string | null): string {
  if (value === null) return t`price unknown`;
  return Number(value) === 0 ? "$0" : `$${Number(value).toPrecision(3)}`;
}
