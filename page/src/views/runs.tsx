// Evaluation runs: each with its accuracy over all of its questions; one is opened by its name.
import type { JSX } from "preact";
import { type RunListed, runs } from "../keeping";
import { count, day, interval, percent } from "../parts/figures";
import { useLoaded } from "../parts/loading";
import { ProblemBox } from "../parts/problem";
import { Sheet } from "../parts/sheet";
import { address, type Route } from "../router";
import { RunView } from "./run";
import { t } from "../words";

export function RunsPage({ route }: { route: Route }): JSX.Element {
  return route.parts[0] ? <RunView id={route.parts[0]} /> : <All />;
}

function All(): JSX.Element {
  const loaded = useLoaded(runs, "runs");
  return (
    <div class="wide">
      <h1>Evaluation runs</h1>
      <p class="dim">Every question of a run counts: one that failed, was not answered or is unfinished counts as wrong. Intervals are 95 % (Wilson).</p>
      {loaded.state === "loading" && <p class="dim">Loading the runs</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && loaded.value.length === 0 && <p>There are no runs yet. Create one with the command medground eval run SET --data FILE.</p>}
      {loaded.state === "loaded" && loaded.value.length > 0 && (
        <Sheet label={t`Evaluation runs`} columns={[t`Data set`, t`Recipe`, t`Model`, t`Accuracy`, t`95 % interval`, t`Correct`, t`Did not answer`, t`Started`]}>
          {loaded.value.map((run) => (
            <Row key={run.id} run={run} />
          ))}
        </Sheet>
      )}
    </div>
  );
}

function Row({ run }: { run: RunListed }): JSX.Element {
  if (run.problem) {
    return (
      <tr>
        <th scope="row">{run.id}</th>
        <td colSpan={7} class="bad">
          {run.problem}
        </td>
      </tr>
    );
  }
  const accuracy = run.accuracy;
  return (
    <tr>
      <th scope="row">
        <a href={address("runs", [run.id])} aria-label={`${run.dataset}, ${run.recipe}, ${run.model}, ${run.id}`}>
          {run.dataset}
        </a>{" "}
        <span class="dim">{run.split}</span>
      </th>
      <td>{run.recipe}</td>
      <td>{run.model}</td>
      <td class="number strong">{accuracy ? percent(accuracy.value) : t`no gold answers`}</td>
      <td class="number">{accuracy ? interval(accuracy.low, accuracy.high) : ""}</td>
      <td class="number">{accuracy ? t`${count(accuracy.right)} of ${count(accuracy.of)}` : ""}</td>
      <td>{unanswered(run)}</td>
      <td>{day(run.started)}</td>
    </tr>
  );
}

function unanswered(run: RunListed): string {
  const counts = Object.entries({ ...run.statuses, unfinished: run.unfinished }).filter(([name, number]) => number > 0 && name !== "answered");
  return counts.map(([name, number]) => `${count(number)} ${name}`).join(", ") || t`none`;
}
