// The answer as a file: for a reader, or for a reference manager.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fetchFile } from "../api";
import type { Problem } from "../types";
import { ProblemBox, problemOf } from "./problem";
import { answerPath } from "./studies/types";
import { t } from "../words";

const FORMS: [string, string, string][] = [
  ["docx", "Word", "docx"],
  ["pdf", "PDF", "pdf"],
  ["html", t`Web page`, "html"],
];
const MORE: [string, string, string][] = [
  ["markdown", "Markdown", "md"],
  ["ris", "RIS", "ris"],
  ["bibtex", "BibTeX", "bib"],
  ["csl-json", "CSL-JSON", "json"],
];

/** A file that the browser saves under this name. */
export async function save(name: string, content: Promise<Blob>): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function Exports({ answer }: { answer: string }): JSX.Element {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [making, setMaking] = useState("");
  const write = (form: string, suffix: string): void => {
    setProblem(null);
    setMaking(form);
    save(`medground-${answer}.${suffix}`, fetchFile("GET", answerPath(answer, `export?format=${form}`)))
      .catch((error: unknown) => setProblem(problemOf(error)))
      .finally(() => setMaking(""));
  };
  const buttons = (forms: typeof FORMS): JSX.Element[] =>
    forms.map(([form, words, suffix]) => (
      <button key={form} type="button" class="quiet" disabled={making === form} onClick={() => write(form, suffix)}>
        {words}
      </button>
    ));
  return (
    <div role="group" aria-label="Save this answer" data-testid="exports">
      <p class="row">
        <span class="dim">Save as</span>
        {buttons(FORMS)}
        <button type="button" class="quiet" onClick={() => print()}>
          Print
        </button>
      </p>
      <details>
        <summary>For reference managers</summary>
        <p class="row">{buttons(MORE)}</p>
      </details>
      {problem && <ProblemBox problem={problem} />}
    </div>
  );
}
