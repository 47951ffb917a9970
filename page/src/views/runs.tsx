// Evaluation runs: each with its accuracy over all of its questions, and its report as a file.
import type { JSX } from "preact";
import { reportAddress, type RunListed, runs } from "../keeping";
import { count, day, interval, percent } from "../parts/figures";
import { useLoaded } from "../parts/loading";
import { ProblemBox } from "../parts/problem";
import { Sheet } from "../parts/sheet";
import { t } from "../words";

export function RunsPage(): JSX.Element {
  const loaded = useLoaded(runs, "runs");
  return (
    <div class="wide">
      <h1>Evaluation runs</h1>
      <p class="dim">Every question of a run counts: one that failed, was not answered or is unfinished counts as wrong. Intervals are 95 % (Wilson).</p>
      {loaded.state === "loading" && <p class="dim">Loading the runs</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && loaded.value.length === 0 && <p>There are no runs yet. Create one with the command medground eval run SET --data FILE.</p>}
      {loaded.state === "loaded" && loaded.value.length > 0 && (
        <Sheet label={t`Evaluation runs`} columns={[t`Data set`, t`Recipe`, t`Model`, t`Accuracy`, t`95 % interval`, t`Correct`, t`Did not answer`, t`Started`, t`Report`]}>
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
        <td colSpan={8} class="bad">
          {run.problem}
        </td>
      </tr>
    );
  }
  const accuracy = run.accuracy;
  return (
    <tr>
      <th scope="row">
        {run.dataset} <span class="dim">{run.split}</span>
      </th>
      <td>{run.recipe}</td>
      <td>{run.model}</td>
      <td class="number strong">{accuracy ? percent(accuracy.value) : t`no gold answers`}</td>
      <td class="number">{accuracy ? interval(accuracy.low, accuracy.high) : ""}</td>
      <td class="number">{accuracy ? t`${count(accuracy.right)} of ${count(accuracy.of)}` : ""}</td>
      <td>{unanswered(run)}</td>
      <td>{day(run.started)}</td>
      <td>
        <a href={reportAddress(run.id)} download>
          Download the report (HTML)
        </a>
      </td>
    </tr>
  );
}

function unanswered(run: RunListed): string {
  const counts = Object.entries({ ...run.statuses, unfinished: run.unfinished }).filter(([name, number]) => number > 0 && name !== "answered");
  return counts.map(([name, number]) => `${count(number)} ${name}`).join(", ") || t`none`;
}
