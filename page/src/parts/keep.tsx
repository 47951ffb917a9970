// Keep an answer: in a project, or watched for what is new.
import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { offers } from "../api";
import { address } from "../router";
import { type Project, save, type SavedWork, statesOf, useSaved } from "../saved";
import type { Answered, Problem } from "../types";
import { ProblemBox, problemOf } from "./problem";
import { t } from "../words";

export function Keep({ answer }: { answer: Answered }): JSX.Element | null {
  const id = useId();
  const saved = useSaved();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const failed = (error: unknown): void => setProblem(problemOf(error));
  if (!saved) return null;
  const item = { answer: answer.trace_id, question: answer.question };
  const kept = saved.projects.filter((one) => one.items.some((other) => other.answer === item.answer));
  const watched = saved.watched.some((one) => one.answer === item.answer);
  const keep = (): void => {
    const project = name.trim() || saved.projects[0]?.name || t`My project`;
    save((now) => ({ projects: added(now.projects, project, item) })).then(() => setName(""), failed);
  };
  const watch = async (): Promise<void> => {
    if (watched) return save((now) => ({ watched: now.watched.filter((one) => one.answer !== item.answer) }));
    const states = statesOf(await offers());
    return save((now: SavedWork) => ({ watched: [...now.watched, { ...item, asked: answer.created, states }] }));
  };
  return (
    <form
      class="keep"
      onSubmit={(event) => {
        event.preventDefault();
        keep();
      }}
    >
      <p class="row">
        <label>
          <span class="unseen">Project</span>
          <input value={name} list={`${id}-projects`} maxLength={80} placeholder={saved.projects[0]?.name ?? t`My project`} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <datalist id={`${id}-projects`}>
          {saved.projects.map((one) => (
            <option key={one.name} value={one.name} />
          ))}
        </datalist>
        <button type="submit">Save to project</button>
        <button type="button" aria-pressed={watched} onClick={() => void watch().catch(failed)}>
          {watched ? t`Stop watching` : t`Watch for new papers`}
        </button>
        {(kept.length > 0 || watched) && (
          <span role="status">
            {kept.length > 0 ? t`Saved in ${kept.map((one) => one.name).join(", ")}. ` : ""}
            {watched ? t`Watched.` : ""}{" "}
            <a href={address("saved")}>Saved work</a>
          </span>
        )}
      </p>
      {problem && <ProblemBox problem={problem} />}
    </form>
  );
}

function added(projects: Project[], name: string, item: Project["items"][number]): Project[] {
  const others = projects.filter((one) => one.name !== name);
  const before = projects.find((one) => one.name === name) ?? { name, items: [], note: "" };
  return [{ ...before, items: [...before.items.filter((one) => one.answer !== item.answer), item] }, ...others];
}
