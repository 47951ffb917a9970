// Files of this computer become a collection: sent with progress here, then built at the server, which goes on by itself.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { corpusFiles, upload } from "../keeping";
import { slug } from "../names";
import type { Job, Problem } from "../types";
import { Build, useUnderWay } from "./builds";
import { many, size } from "./figures";
import { ProblemBox, problemOf } from "./problem";
import { t } from "../words";

interface Props {
  existing: string[];
  built: () => void;
  /** A collection to add to; without it, a new one is named. */
  to?: string;
}

type Skipped = { name: string; reason: string }[];

export function Upload({ existing, built, to }: Props): JSX.Element {
  const [share, setShare] = useState<number | null>(null);
  const [started, setStarted] = useState<Job[]>([]);
  const [over, setOver] = useState<Record<string, Skipped>>({});
  const [files, setFiles] = useState<File[]>([]);
  const [typed, setTyped] = useState("");
  const [embed, setEmbed] = useState("");
  const [replace, setReplace] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const control = useRef<AbortController | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const before = useUnderWay(true).filter((one) => !to || one.title === to);
  const building = [...started, ...before.filter((one) => !started.some((other) => other.id === one.id))];
  useEffect(() => () => control.current?.abort(), []);

  // A name in another script has no letters that files can have.
  const name = to ?? (typed.trim() && (slug(typed) || `collection-${new Date().toISOString().slice(0, 10)}`));
  const exists = !to && existing.includes(name);
  const busy = share !== null;

  const send = async (): Promise<void> => {
    control.current = new AbortController();
    setProblem(null);
    setShare(0);
    try {
      const sent = await upload(name, to ? "add" : exists ? "replace" : "new", to ? "" : embed, files, setShare, control.current.signal, to ? "" : typed.trim());
      setOver((before) => ({ ...before, [sent.job.id]: sent.passed_over }));
      setStarted((others) => [sent.job, ...others]);
      setFiles([]);
      setReplace(false);
      setTyped("");
      if (field.current) field.current.value = "";
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setShare(null);
    }
  };
  /** A folder gives the collection its name, if it has none yet; what systems hide in it is nothing to read. */
  const chooseFolder = (chosen: File[]): void => {
    setFiles(chosen.filter((file) => !/(^|\/)(\.|Thumbs\.db$|desktop\.ini$)/.test(file.webkitRelativePath)));
    if (!typed.trim()) setTyped((chosen[0]?.webkitRelativePath.split("/")[0] ?? "").slice(0, 64));
  };
  const done = (job: Job): void => {
    corpusFiles(job.title, true, 0).then(
      (told) => setOver((before) => ({ ...before, [job.id]: [...(before[job.id] ?? []), ...told.files.map((file) => ({ name: file.name, reason: file.reason ?? "" }))] })),
      () => undefined, // the table says how many were skipped
    );
    built();
  };

  return (
    <>
      {building.map((one) => (
        <Build key={one.id} job={one} over={over[one.id] ?? []} done={() => done(one)} />
      ))}
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
              <input id="corpus-name" value={typed} required maxLength={64} disabled={busy} autocomplete="off" aria-describedby="name-hint" onInput={(event) => setTyped(event.currentTarget.value)} />
              <p id="name-hint" class="dim hint">
                {name && name !== typed.trim() ? t`Kept as ${name}` : t`Such as My lung papers`}
              </p>
            </div>
          )}
          <div class="field">
            <label for="corpus-files">Files</label>
            <input id="corpus-files" ref={field} type="file" multiple required={files.length === 0} disabled={busy} aria-describedby="files-hint" onChange={(event) => setFiles([...(event.currentTarget.files ?? [])])} />
            <label class="dim hint">
              Or a whole folder <input type="file" disabled={busy} {...{ webkitdirectory: true }} onChange={(event) => chooseFolder([...(event.currentTarget.files ?? [])])} />
            </label>
            <p id="files-hint" class="dim hint">
              PDF, PubMed and JATS XML, RIS, BibTeX, CSV, Excel, Word, PowerPoint, EPUB, HTML, text, JSON Lines. What cannot be read is named.
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
        {exists && name === "starter" && <p class="caution">The collection starter comes with Medground; choose another name.</p>}
        {exists && name !== "starter" && (
          <label class="check">
            <input type="checkbox" checked={replace} disabled={busy} onChange={(event) => setReplace(event.currentTarget.checked)} />
            <span>Replace the collection {name}, which exists already. Until the new one is complete, the old one stays in use.</span>
          </label>
        )}
        <div class="row">
          <button type="submit" class="primary" disabled={busy || files.length === 0 || !name || (exists && !replace)}>
            {to ? t`Add the files` : t`Build`}
          </button>
          {files.length > 0 && !busy && <span class="dim">{`${many(files.length, "file")}, ${size(files.reduce((sum, file) => sum + file.size, 0))}`}</span>}
          {busy && (
            <>
              <progress aria-label="Sending" max={1} value={share ?? 0} />
              <button type="button" onClick={() => control.current?.abort()}>
                Stop
              </button>
            </>
          )}
        </div>
        <p role="status">{busy ? (share < 1 ? t`Sending: ${Math.round(100 * share)} %` : t`Storing the files`) : ""}</p>
      </form>
    </>
  );
}
