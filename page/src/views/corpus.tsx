// One collection: what it holds, its files, more files, and its end.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { corpora, corpusFiles, type CorpusListed, corpusTold, removeCorpus } from "../keeping";
import { Confirm } from "../parts/confirm";
import { count, day, many, size } from "../parts/figures";
import { useLoaded, useReloaded } from "../parts/loading";
import { ProblemBox, problemOf } from "../parts/problem";
import { Upload } from "../parts/upload";
import { titleOf } from "../names";
import { said } from "../server";
import { address, go } from "../router";
import { edits, useSession } from "../session";
import type { Problem } from "../types";
import { Said } from "../parts/said";
import { t } from "../words";

export function CorpusView({ name }: { name: string }): JSX.Element {
  const session = useSession();
  const [version, setVersion] = useState(0);
  const [removing, setRemoving] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const listed = useReloaded(async (signal) => (await corpora(signal)).find((one) => one.name === name) ?? null, name, version);

  const failed = (error: unknown): void => setProblem(problemOf(error));
  const remove = (): void => {
    setRemoving(false);
    removeCorpus(name).then(() => go(address("corpora")), failed);
  };

  return (
    <div class="wide">
      <p>
        <a href={address("corpora")}>All collections</a>
      </p>
      <h1 dir="auto">{listed.state === "loaded" && listed.value ? titleOf(listed.value) : name}</h1>
      {problem && <ProblemBox problem={problem} />}
      {listed.state === "loading" && <p class="dim">Loading the collection</p>}
      {listed.state === "failed" && <ProblemBox problem={listed.problem} />}
      {listed.state === "loaded" && !listed.value && <p>There is no collection of this name.</p>}
      {listed.state === "loaded" && listed.value && (
        <>
          <About one={listed.value} />
          <div class="row">
            {edits(session) && (
              <button type="button" class="danger" onClick={() => setRemoving(true)}>
                Remove
              </button>
            )}
          </div>
          {!listed.value.problem && <Files key={version} name={name} />}
          {edits(session) && !listed.value.problem && (
            <section aria-labelledby="add">
              <h2 id="add">Add files</h2>
              <Upload existing={[]} to={name} built={() => setVersion((before) => before + 1)} />
            </section>
          )}
        </>
      )}
      {removing && <Confirm title={t`Remove the collection ${name}?`} words="The collection and what was uploaded for it are deleted. Answers that quote it stay. This cannot be undone." action="Remove" yes={remove} no={() => setRemoving(false)} />}
    </div>
  );
}

function About({ one }: { one: CorpusListed }): JSX.Element {
  if (one.problem) return <p class="bad">{said(one.problem)}</p>;
  const rows: [string, string][] = [
    [t`Documents`, `${count(one.documents ?? 0)}${one.retracted ? t`, ${count(one.retracted)} of them retracted` : ""}`],
    [t`Passages`, count(one.passages ?? 0)],
    [t`Searched by`, one.embedding ? t`words and meaning (${one.embedding})` : t`words`],
    [t`Size`, size(one.bytes ?? 0)],
    [t`Built`, one.created ? day(one.created) : ""],
    ...one.licences.map((licence): [string, string] => [t`Licence`, licence]),
    ...(one.about ? [[t`About`, one.about] as [string, string]] : []),
  ];
  return (
    <>
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
    <details>
      <summary>Details</summary>
      <p class="dim">State {one.hash}</p>
    </details>
    </>
  );
}

function Files({ name }: { name: string }): JSX.Element {
  const [over, setOver] = useState(false);
  const [offset, setOffset] = useState(0);
  const told = useLoaded((signal) => corpusTold(name, signal), name);
  const files = useLoaded((signal) => corpusFiles(name, over, offset, signal), `${name} ${over} ${offset}`);
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      {told.state === "failed" && <ProblemBox problem={told.problem} />}
      {told.state === "loaded" && (
        <>
          <p>{t`${many(told.value.read, "file")} read, ${count(told.value.passed_over)} skipped${told.value.same ? t`, ${count(told.value.same)} ids in several files` : ""}`}</p>
          {told.value.notes.length + told.value.skipped.length > 0 && (
            <ul class="notes">
              {told.value.notes.map((note) => (
                <li key={note}><Said words={note} /></li>
              ))}
              {told.value.skipped.map((record) => (
                <li key={`${record.file} ${record.position} ${record.reason}`}>
                  {`${record.file}${record.position === null ? "" : t`, record ${record.position}`}: `}
                  <Said words={record.reason} />
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={over}
          onChange={(event) => {
            setOver(event.currentTarget.checked);
            setOffset(0);
          }}
        />
        <span>Only files that were skipped</span>
      </label>
      {files.state === "failed" && <ProblemBox problem={files.problem} />}
      {files.state === "loaded" && files.value.total === 0 && <p class="dim">{over ? t`No file was skipped.` : t`Its documents were not read from files.`}</p>}
      {files.state === "loaded" && files.value.total > 0 && (
        <>
          <div class="scroll" tabIndex={0} role="region" aria-label="Table of files">
            <table>
              <thead>
                <tr>
                  <th scope="col">File</th>
                  <th scope="col">Read as, or why it was skipped</th>
                </tr>
              </thead>
              <tbody>
                {files.value.files.map((file, number) => (
                  <tr key={`${file.name} ${number}`}>
                    <th scope="row">{file.name}</th>
                    <td class={file.reason === null ? "" : "caution"}>{file.reason === null ? file.reader : <>skipped: <Said words={file.reason} /></>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <Pages offset={offset} shown={files.value.files.length} total={files.value.total} step={100} set={setOffset} what="files" />
        </>
      )}
    </section>
  );
}

export function Pages({ offset, shown, total, step, set, what }: { offset: number; shown: number; total: number; step: number; set: (offset: number) => void; what: string }): JSX.Element {
  return (
    <div class="row">
      <span class="dim" role="status">{t`${count(offset + 1)} to ${count(offset + shown)} of ${count(total)} ${what}`}</span>
      {total > step && (
        <>
          <button type="button" class="quiet" disabled={offset === 0} onClick={() => set(Math.max(0, offset - step))}>
            Earlier
          </button>
          <button type="button" class="quiet" disabled={offset + shown >= total} onClick={() => set(offset + step)}>
            Later
          </button>
        </>
      )}
    </div>
  );
}
