// Files of this computer become a corpus: sent with progress, then built as a job that can be stopped.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { follow, stopJob } from "../api";
import { type BuildStarted, corpusFiles, type Mode, upload } from "../keeping";
import type { JobEvent, Problem } from "../types";
import { count, many, size } from "./figures";
import { ProblemBox, problemOf } from "./problem";

interface Props {
  existing: string[];
  built: () => void;
  /** A corpus to add to; without it, a new one is named. */
  to?: string;
}

type State = { at: "choosing" } | { at: "sending"; share: number } | { at: "building"; started: BuildStarted; event: JobEvent | null } | { at: "ended"; words: string; over: { name: string; reason: string }[] };

export function Upload({ existing, built, to }: Props): JSX.Element {
  const [state, setState] = useState<State>({ at: "choosing" });
  const [files, setFiles] = useState<File[]>([]);
  const [name, setName] = useState(to ?? "");
  const [embed, setEmbed] = useState("");
  const [replace, setReplace] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const control = useRef<AbortController | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => () => control.current?.abort(), []);

  const exists = !to && existing.includes(name.trim());
  const busy = state.at === "sending" || state.at === "building";
  const failed = (error: unknown): void => {
    setProblem(problemOf(error));
    setState({ at: "choosing" });
  };

  const send = async (): Promise<void> => {
    const mode: Mode = to ? "add" : exists ? "replace" : "new";
    control.current = new AbortController();
    setProblem(null);
    setState({ at: "sending", share: 0 });
    try {
      const started = await upload(name.trim(), mode, to ? "" : embed, files, (share) => setState({ at: "sending", share }), control.current.signal);
      setState({ at: "building", started, event: null });
      await follow(started.job.id, { event: (event) => heard(started, event), waiting: () => undefined }, control.current.signal);
    } catch (error) {
      failed(error);
    }
  };

  const last = useRef("");
  const heard = (started: BuildStarted, event: JobEvent): void => {
    if (event.type === "failed" && event.problem) failed(new Error(`${event.problem.detail} ${event.problem.next}`));
    else if (event.type === "stopped") {
      setState({ at: "ended", words: "Stopped. The corpus is as it was before.", over: [] });
    } else if (event.type === "done") {
      setState({ at: "ended", words: last.current, over: started.passed_over });
      setFiles([]);
      setReplace(false);
      if (!to) setName("");
      if (field.current) field.current.value = "";
      corpusFiles(name.trim(), true, 0).then(
        (told) => setState({ at: "ended", words: last.current, over: [...started.passed_over, ...told.files.map((file) => ({ name: file.name, reason: file.reason ?? "" }))] }),
        () => undefined, // the table below says how many were skipped
      );
      built();
    } else {
      if (event.words) last.current = event.words;
      setState({ at: "building", started, event });
    }
  };

  return (
    <>
      {problem && <ProblemBox problem={problem} />}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <div class="fields">
          {!to && (
            <div class="field">
              <label for="corpus-name">Name</label>
              <input id="corpus-name" value={name} required maxLength={64} pattern="[a-z0-9][a-z0-9._\-]*" disabled={busy} autocomplete="off" aria-describedby="name-hint" onInput={(event) => setName(event.currentTarget.value)} />
              <p id="name-hint" class="dim hint">
                Small letters, digits and . _ - such as my-papers
              </p>
            </div>
          )}
          <div class="field">
            <label for="corpus-files">Files</label>
            <input id="corpus-files" ref={field} type="file" multiple required disabled={busy} aria-describedby="files-hint" onChange={(event) => setFiles([...(event.currentTarget.files ?? [])])} />
            <p id="files-hint" class="dim hint">
              PDF, PubMed and JATS XML, RIS, BibTeX, CSV, Word, HTML, text, JSON Lines. What cannot be read is named.
            </p>
          </div>
          {!to && (
            <div class="field">
              <label for="corpus-embed">Search by</label>
              <select id="corpus-embed" value={embed} disabled={busy} onChange={(event) => setEmbed(event.currentTarget.value)}>
                <option value="">words</option>
                <option value="minilm">words and meaning (slower to build)</option>
              </select>
            </div>
          )}
        </div>
        {exists && (
          <label class="check">
            <input type="checkbox" checked={replace} disabled={busy} onChange={(event) => setReplace(event.currentTarget.checked)} />
            <span>Replace the corpus {name.trim()}, which exists already. Until the new one is complete, the old one stays in use.</span>
          </label>
        )}
        <div class="row">
          <button type="submit" class="primary" disabled={busy || files.length === 0 || !name.trim() || (exists && !replace)}>
            {to ? "Add the files" : "Build"}
          </button>
          {files.length > 0 && !busy && <span class="dim">{`${many(files.length, "file")}, ${size(files.reduce((sum, file) => sum + file.size, 0))}`}</span>}
          {state.at === "sending" && (
            <button type="button" onClick={() => control.current?.abort()}>
              Stop
            </button>
          )}
          {state.at === "building" && (
            <button type="button" onClick={() => void stopJob(state.started.job.id).catch(failed)}>
              Stop
            </button>
          )}
        </div>
      </form>
      <Progress state={state} />
    </>
  );
}

function Progress({ state }: { state: State }): JSX.Element {
  const now = said(state);
  const share = state.at === "sending" ? state.share : state.at === "building" && state.event?.of ? (state.event.done ?? 0) / state.event.of : undefined;
  return (
    <>
      {(state.at === "sending" || state.at === "building") && (
        <p>
          <progress aria-label={now} max={1} {...(share === undefined ? {} : { value: share })} />
        </p>
      )}
      <p role="status">{now}</p>
      {state.at === "ended" && state.over.length > 0 && (
        <>
          <h3>Files that were skipped</h3>
          <ul class="notes">
            {state.over.map((file) => (
              <li key={file.name}>
                <span class="strong">{file.name}</span>: {file.reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function said(state: State): string {
  if (state.at === "sending") return state.share < 1 ? `Sending: ${Math.round(100 * state.share)} %` : "Storing the files";
  if (state.at === "ended") return state.words;
  if (state.at === "choosing") return "";
  const event = state.event;
  if (!event?.words) return "Waiting in line";
  const done = event.done ? (event.of ? `: ${count(event.done)} of ${count(event.of)}` : `: ${count(event.done)}`) : "";
  return `${event.words}${done}`;
}
