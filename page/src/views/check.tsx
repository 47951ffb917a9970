// Check a text: each sentence coloured and named, and the source that it cites opened beside it at the quote.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { call, documentText, fetchFile, offers } from "../api";
import { base64, type Finding, KINDS, looks, sliced, type TextCheck } from "../checking";
import { sharedId } from "../names";
import { DocumentBody } from "../parts/document";
import { save } from "../parts/exports";
import { useLoaded } from "../parts/loading";
import { nowhere, Places } from "../parts/places";
import { ProblemBox, problemOf } from "../parts/problem";
import { address, go, type Route } from "../router";
import { clean, oneLine } from "../text";
import type { Problem } from "../types";
import { MARKS } from "./document";
import { type Draft, emptyDraft } from "./draft";
import { Field } from "./options";
import { Said } from "../parts/said";
import { many, t } from "../words";

/** Where a source is shown beside the text, as in `look.css`. */
const WIDE = "(min-width: 70rem)";

export function CheckPage({ route }: { route: Route }): JSX.Element {
  const [draft, setDraft] = useState<Draft>(emptyDraft);
  const [text, setText] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [check, setCheck] = useState<TextCheck | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const offered = useLoaded(offers, "offers");
  const lost = offered.state === "loaded" && nowhere(draft, offered.value);
  const ready = (file !== null || text.trim() !== "") && !busy && !lost;

  const choose = (chosen: File | null): void => {
    setFile(chosen);
    if (!chosen && field.current) field.current.value = "";
  };
  const send = async (): Promise<void> => {
    if (!ready) return;
    setBusy(true);
    setProblem(null);
    try {
      const given = file ? { name: file.name, content: await base64(file) } : { text };
      const where = draft.chosen && { corpora: draft.corpora, sources: draft.sources };
      const found = await call<TextCheck>("POST", "/v1/check", { ...given, ...where });
      go(address("check"), true);
      setCheck(found);
    } catch (error) {
      setCheck(null);
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <div class="column">
        <h1>Check a text</h1>
        <p class="dim">Paste a text with its references, or drop a file. Each sentence is compared with what the papers say that it cites.</p>
        <form
          class={over ? "dropping" : ""}
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            choose(event.dataTransfer?.files[0] ?? null);
          }}
        >
          <Field label="Text">
            {(id) => <textarea id={id} rows={8} dir="auto" spellcheck={false} value={text} disabled={file !== null} onInput={(event) => setText(event.currentTarget.value)} />}
          </Field>
          <Field label="Or a file" hint={t`Word, PDF, Markdown, LaTeX, HTML, text, YAML or JSON`}>
            {(id, hint) => <input id={id} ref={field} type="file" aria-describedby={hint} onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)} />}
          </Field>
          {file && (
            <p class="row">
              <span dir="auto">{file.name}</span>
              <button type="button" class="quiet" onClick={() => choose(null)}>
                Remove the file
              </button>
            </p>
          )}
          {offered.state === "loaded" && <Places draft={draft} change={(changes) => setDraft({ ...draft, ...changes })} offers={offered.value} recall />}
          <div class="row">
            <button type="submit" class="primary" disabled={!ready}>
              Check the text
            </button>
          </div>
        </form>
        <p role="status">{busy ? t`Reading the text and the papers that it cites` : ""}</p>
        {problem && <ProblemBox problem={problem} />}
      </div>
      {check && <Checked key={check.findings.length} check={check} open={Number(route.parts[0] ?? 0) - 1} corpora={draft.chosen ? draft.corpora : []} />}
    </>
  );
}

/** `open`: the place of the finding that is looked at. */
function Checked({ check, open, corpora }: { check: TextCheck; open: number; corpora: string[] }): JSX.Element {
  const head = useRef<HTMLHeadingElement>(null);
  const chosen = check.findings[open];
  useEffect(() => head.current?.focus(), [check]);
  const close = (): void => {
    go(address("check"), true);
    document.querySelector<HTMLElement>(`a[data-finding="${open}"]`)?.focus();
  };
  const counts = Object.entries(KINDS).map(([kind, name]) => [kind, name, check.findings.filter((one) => one.kind === kind).length] as const);
  const apart = check.references.filter((one) => !one.ref);
  return (
    <div class={chosen ? "beside" : ""}>
      <section class="column" data-testid="checked">
        <h2 ref={head} tabIndex={-1}>
          {many(check.findings.length, "sentence")}
        </h2>
        <ul class="kinds" aria-label="What was found">
          {counts.map(([kind, name, count]) => count > 0 && <li key={kind} class={`kind ${looks(kind)}`}>{`${name}: ${count}`}</li>)}
        </ul>
        <Saved check={check} />
        {Object.entries(check.texts).map(([file, text]) => (
          <p key={file} class="checked" dir="auto">
            {sliced(text, check.findings, file).map(([piece, at], place) => (at === null ? clean(piece) : <Sentence key={place} piece={piece} finding={check.findings[at]} at={at} open={at === open} />))}
          </p>
        ))}
        {apart.length > 0 && (
          <>
            <h3>References without a stored paper</h3>
            <ul>
              {apart.map((one) => (
                <li key={one.mark + one.entry} dir="auto">
                  {oneLine(`${one.mark} ${one.entry}`)} <span class="caution"><Said words={one.reason} /></span>
                </li>
              ))}
            </ul>
          </>
        )}
        {check.remarks.map((remark) => (
          <p key={remark} class="dim" lang="en">
            {remark}
          </p>
        ))}
      </section>
      {chosen && <FindingPane key={open} finding={chosen} corpora={corpora} close={close} />}
    </div>
  );
}

function Sentence({ piece, finding, at, open }: { piece: string; finding: Finding | undefined; at: number; open: boolean }): JSX.Element {
  const look = looks(finding?.kind ?? "");
  return (
    <>
      <a class={look} href={address("check", [String(at + 1)])} data-finding={at} aria-current={open ? "true" : undefined}>
        {clean(piece)}
      </a>{" "}
      <span class={`kind ${look}`}>{KINDS[finding?.kind ?? ""]}</span>
    </>
  );
}

function Saved({ check }: { check: TextCheck }): JSX.Element {
  const [problem, setProblem] = useState<Problem | null>(null);
  const write = (suffix: string): void => {
    setProblem(null);
    const json = new Blob([JSON.stringify(check.findings, null, 2)], { type: "application/json" });
    const content = suffix === "json" ? Promise.resolve(json) : fetchFile("POST", `/v1/check/export?format=${suffix}`, check);
    save(`medground-check.${suffix}`, content).catch((error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <div role="group" aria-label="Save this check" data-testid="exports">
      <p class="row">
        <span class="dim">Save as</span>
        {[["docx", "Word"], ["html", t`Web page`], ["json", "JSON"]].map(([suffix = "", words]) => (
          <button key={suffix} type="button" class="quiet" onClick={() => write(suffix)}>
            {words}
          </button>
        ))}
      </p>
      {problem && <ProblemBox problem={problem} />}
    </div>
  );
}

function FindingPane({ finding, corpora, close }: { finding: Finding; corpora: string[]; close: () => void }): JSX.Element {
  const pane = useRef<HTMLElement>(null);
  const papers = [...new Set([...(finding.evidence ? [finding.evidence.ref] : []), ...finding.cited])];
  const [paper, setPaper] = useState(papers[0] ?? "");
  useEffect(() => {
    pane.current?.focus({ preventScroll: true });
    // On a narrow page the source covers all but the top.
    if (!matchMedia(WIDE).matches) document.querySelector(".checked a[aria-current]")?.scrollIntoView({ block: "start" });
  }, []);
  useEffect(() => {
    const key = (event: KeyboardEvent): void => {
      if (event.key === "Escape") close();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  });
  return (
    <aside class="source" ref={pane} tabIndex={-1} aria-label="What was found" data-testid="finding">
      <div class="bar">
        <p class={`strong ${looks(finding.kind)}`}>{KINDS[finding.kind] ?? finding.kind}</p>
        <button type="button" class="quiet" onClick={close}>
          Close
        </button>
      </div>
      <p dir="auto">{oneLine(finding.sentence)}</p>
      {finding.reason && <p lang="en">{oneLine(finding.reason)}</p>}
      {papers.length > 1 && (
        <p class="row">
          {papers.map((one) => (
            <button key={one} type="button" class="quiet" aria-pressed={one === paper} onClick={() => setPaper(one)}>
              {one}
            </button>
          ))}
        </p>
      )}
      {paper && <Paper key={paper} id={paper} quote={finding.evidence?.ref === paper ? finding.evidence.quote : ""} corpora={corpora} />}
    </aside>
  );
}

function Paper({ id, quote, corpora }: { id: string; quote: string; corpora: string[] }): JSX.Element {
  const loaded = useLoaded((signal) => documentText(id, corpora, signal), id);
  const slices = useMemo(() => {
    const text = loaded.state === "loaded" ? loaded.value.text : "";
    const at = quote ? text.indexOf(quote) : -1;
    const start = Array.from(text.slice(0, Math.max(at, 0))).length; // offsets count code points
    return at < 0 ? [] : [{ id: "quote", start, end: start + Array.from(quote).length }];
  }, [loaded.state, quote]);
  useEffect(() => document.querySelector("mark.chosen")?.scrollIntoView({ block: "nearest" }), [loaded.state]);
  const verbatim = quote && slices.length === 0 && <blockquote dir="auto">{quote}</blockquote>;
  if (loaded.state === "loading") return <p class="dim">Loading the text</p>;
  if (loaded.state === "failed") {
    return (
      <>
        {verbatim}
        <ProblemBox problem={{ ...loaded.problem, title: t`The whole text cannot be shown` }} />
      </>
    );
  }
  const shown = loaded.value;
  return (
    <>
      {shown.retraction !== "none" && <p class="retraction">{MARKS[shown.retraction]}</p>}
      <h2 dir="auto">{oneLine(shown.title) || shown.id}</h2>
      <p class="dim">{[shown.journal && oneLine(shown.journal), shown.year, sharedId(shown.id)].filter(Boolean).join(" · ")}</p>
      {verbatim}
      <DocumentBody document={shown} slices={slices} chosen="quote" />
    </>
  );
}
