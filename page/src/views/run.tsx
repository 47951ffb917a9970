// One evaluation run: metrics with intervals, how its questions ended, classes, settings, and the questions themselves.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Metric, type OpenedRun, openedRun, reportAddress, runQuestions, type Which } from "../keeping";
import { count, day, interval, many, percent } from "../parts/figures";
import { useLoaded } from "../parts/loading";
import { ProblemBox } from "../parts/problem";
import { Sheet } from "../parts/sheet";
import { address } from "../router";
import { oneLine } from "../text";
import { Pages } from "./corpus";
import { t } from "../words";

export function RunView({ id }: { id: string }): JSX.Element {
  const loaded = useLoaded((signal) => openedRun(id, signal), id);
  return (
    <div class="wide">
      <p>
        <a href={address("runs")}>All runs</a>
      </p>
      <h1>{loaded.state === "loaded" ? t`${loaded.value.run.recipe} on ${loaded.value.run.dataset}` : t`Evaluation run`}</h1>
      {loaded.state === "loading" && <p class="dim">Loading the run</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && <Opened opened={loaded.value} />}
    </div>
  );
}

function Opened({ opened }: { opened: OpenedRun }): JSX.Element {
  const { run } = opened;
  const chosen = run.limit === null ? "" : run.seed === null ? t`, first ${count(run.limit)}` : t`, ${count(run.limit)} drawn with seed ${run.seed}`;
  return (
    <>
      <p class="dim">{t`Model ${run.model}, split ${run.split}${chosen}, ${many(run.items, "question")}${run.with_context ? t`, each with its own documents` : ""}, started ${day(run.started)}`}</p>
      {opened.warnings.map((warning) => (
        <p key={warning} class="caution">
          {warning}
        </p>
      ))}
      <p>
        <a href={reportAddress(run.id)} download>
          Download the report (HTML)
        </a>
      </p>
      <section aria-labelledby="metrics">
        <h2 id="metrics">Metrics</h2>
        <Shares name="Metrics" metrics={opened.metrics} />
        <p class="dim">
          {run.majority && run.majority_share !== null ? t`Always answering “${run.majority}” would be right in ${percent(run.majority_share)}. ` : ""}
          {opened.macro_f1 === null ? "" : t`Macro-F1 ${opened.macro_f1.toFixed(3)}. `}
          {opened.support === null ? t`No answer has a support score. ` : t`Mean support ${opened.support.toFixed(3)} over ${many(opened.supported_answers, "answer")}. `}
          {opened.seconds_each === null ? t`What its answers cost is not known.` : t`${opened.seconds_each.toFixed(2)} s a question, ${count(run.input_tokens)} tokens in and ${count(run.output_tokens)} out, ${many(run.model_calls, "model call")}, ${run.price === null ? t`price unknown` : `$${run.price}`}.`}
        </p>
      </section>
      <section aria-labelledby="outcomes">
        <h2 id="outcomes">How the questions ended</h2>
        <Shares name="How the questions ended" metrics={opened.outcomes} />
      </section>
      {opened.classes.length > 0 && <Classes opened={opened} />}
      <Questions id={run.id} />
      <details>
        <summary>Settings, corpora and versions</summary>
        <pre class="scroll" tabIndex={0} role="region" aria-label="Settings, corpora and versions">
          {JSON.stringify({ settings: opened.settings, corpora: opened.snapshots, versions: opened.versions }, null, 2)}
        </pre>
      </details>
    </>
  );
}

function Shares({ name, metrics }: { name: string; metrics: Metric[] }): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={t`Table: ${name}`}>
      <table>
        <thead>
          <tr>
            {["", t`Share`, t`95 % interval`, t`Counted`, ""].map((head, number) => (
              <th key={number} scope="col">
                {head || <span class="unseen">{number ? t`Interval as a bar` : t`What`}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                {one.name} <span class="dim">{one.words}</span>
              </th>
              <td class="number strong">{one.value === null ? t`none` : percent(one.value)}</td>
              <td class="number">{one.of ? interval(one.low, one.high) : ""}</td>
              <td class="number">{t`${count(one.right)} of ${count(one.of)}`}</td>
              <td>{one.value !== null && <Bar metric={one} value={one.value} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The share as a point on its interval; the numbers stand beside it. */
function Bar({ metric, value }: { metric: Metric; value: number }): JSX.Element {
  return (
    <svg class="interval" viewBox="0 0 100 10" aria-hidden="true" preserveAspectRatio="none">
      <line class="axis" x1={0} x2={100} y1={5} y2={5} />
      <line class="range" x1={100 * metric.low} x2={100 * metric.high} y1={5} y2={5} />
      <line class="point" x1={100 * value} x2={100 * value} y1={1} y2={9} />
    </svg>
  );
}

function Classes({ opened }: { opened: OpenedRun }): JSX.Element {
  const shown = (value: number | null): string => (value === null ? t`none` : percent(value));
  return (
    <section aria-labelledby="classes">
      <h2 id="classes">By answer</h2>
      <Sheet label={t`Table by answer`} columns={[t`Answer`, t`Gold`, t`Given`, t`Precision`, t`Recall`, "F1"]}>
        {opened.classes.map((one) => (
          <tr key={one.label}>
            <th scope="row">{one.label}</th>
            <td class="number">{count(one.gold)}</td>
            <td class="number">{count(one.given)}</td>
            <td class="number">{shown(one.precision)}</td>
            <td class="number">{shown(one.recall)}</td>
            <td class="number">{one.f1.toFixed(3)}</td>
          </tr>
        ))}
      </Sheet>
    </section>
  );
}

const KINDS: [Which, string][] = [
  ["all", t`All questions`],
  ["wrong", t`Wrong or without an answer`],
  ["right", t`Right`],
  ["failed", t`Failed`],
];

function Questions({ id }: { id: string }): JSX.Element {
  const [which, setWhich] = useState<Which>("all");
  const [offset, setOffset] = useState(0);
  const loaded = useLoaded((signal) => runQuestions(id, which, offset, signal), `${id} ${which} ${offset}`);
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">Questions</h2>
      <div class="field">
        <label for="which">Show</label>
        <select
          id="which"
          value={which}
          onChange={(event) => {
            setWhich(event.currentTarget.value as Which);
            setOffset(0);
          }}
        >
          {KINDS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && loaded.value.total === 0 && <p class="dim">There are no such questions.</p>}
      {loaded.state === "loaded" && loaded.value.total > 0 && (
        <>
          <Sheet label={t`Table of questions`} columns={[t`Question`, t`Gold`, t`Answer`, t`Outcome`]}>
            {loaded.value.questions.map((one) => (
              <tr key={one.id}>
                <th scope="row" dir="auto">
                  {oneLine(one.question)}
                </th>
                <td>{one.gold.join(", ")}</td>
                <td>{one.answer.join(", ") || t`none`}</td>
                <td class={one.right ? "good" : one.error ? "bad" : ""}>
                  {one.gold.length ? (one.right ? t`✓ right` : t`✗ wrong`) : ""}
                  {one.right ? "" : ` · ${one.outcome}`}
                  {one.error && <span class="dim"> {oneLine(one.error)}</span>}
                </td>
              </tr>
            ))}
          </Sheet>
          <Pages offset={offset} shown={loaded.value.questions.length} total={loaded.value.total} step={50} set={setOffset} what="questions" />
        </>
      )}
    </section>
  );
}
