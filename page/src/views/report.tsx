// A report: its plan, its sections, what became of each sub-question, what was counted, and the structures of proteins.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { answerView, fetchFile } from "../api";
import { Cited, Cites } from "../parts/cite";
import { Exports, save } from "../parts/exports";
import { useLoaded } from "../parts/loading";
import { Lost, NoticeBox, ProblemBox, problemOf } from "../parts/problem";
import { Said } from "../parts/said";
import { Sentences } from "../parts/sentences";
import { formOf, Structure } from "../parts/structure";
import { answerPath } from "../parts/studies/types";
import { AskedOn } from "../parts/paper";
import { Papers } from "../parts/papers";
import { Ways } from "../parts/ways";
import { address, type Route } from "../router";
import type { Answered, Problem, Report } from "../types";
import { listed, locale, t, word } from "../words";

export function ReportPage({ route }: { route: Route }): JSX.Element {
  const id = route.parts[0] ?? "";
  const loaded = useLoaded((signal) => answerView(id, signal), id);
  if (loaded.state === "loading") return <p class="column dim">Loading the report</p>;
  if (loaded.state === "failed") return <Lost title={t`Report`} problem={loaded.problem} />;
  const answer = loaded.value;
  return (
    <Cited.Provider value={{ answer: id, open: "", studies: Object.fromEntries(answer.evidence.map((one) => [one.id, one.study])) }}>
      <article class="column">
        <Ways answer={id} here="report" report={answer.report !== null} />
        {answer.notice && <NoticeBox notice={answer.notice} />}
        <h1 class="question" dir="auto">
          {answer.question}
        </h1>
        <AskedOn answer={answer} />
        {answer.report ? <Whole answer={answer} report={answer.report} /> : <p>This answer is not a report. <a href={address("answer", [id])}>Read the answer</a></p>}
      </article>
    </Cited.Provider>
  );
}

function Whole({ answer, report }: { answer: Answered; report: Report }): JSX.Element {
  return (
    <>
      <section class="decision" aria-label="Decision" data-status={answer.status}>
        <p class="headline">
          <Said words={answer.headline} />
        </p>
        {answer.reason && (
          <p>
            <Said words={answer.reason} />
          </p>
        )}
        {answer.support && (
          <p class="strong">
            <Said words={answer.support} />
          </p>
        )}
        {answer.stopped && <p class="caution">Stopped early: <Said words={answer.stopped} /></p>}
      </section>
      <Exports answer={answer.trace_id} />
      {report.sections.map((section, number) => (
        <section key={number} data-testid="report-section" data-kind={section.kind}>
          <h2 dir="auto">{section.title}</h2>
          {section.sentences.length > 0 && <Sentences sentences={section.sentences.flatMap((place) => answer.sentences[place] ?? [])} />}
          {section.notes.map((note) => (
            <p key={note} class="dim">
              <Said words={note} />
            </p>
          ))}
        </section>
      ))}
      <Papers answer={answer} />
      <SubAnswers report={report} />
      {report.connections.length > 0 && <Connections report={report} />}
      {report.files.length > 0 && <Files answer={answer.trace_id} files={report.files} />}
      <Plan answer={answer.trace_id} report={report} />
      {report.flow.length > 0 && <Flow report={report} />}
    </>
  );
}

const STATES: Record<Report["subanswers"][number]["state"], [string, string]> = {
  answered: ["✓", t`Answered`],
  "not answerable": ["∅", t`Nothing found that answers it`],
  failed: ["!", t`Could not be searched`],
};

function SubAnswers({ report }: { report: Report }): JSX.Element {
  return (
    <section>
      <h2>Sub-questions</h2>
      <ul class="subanswers" data-testid="subanswers">
        {report.subanswers.map((one) => (
          <li key={one.id} data-state={one.state}>
            <p dir="auto">
              <span class="dim">{one.id}</span> {one.text}
            </p>
            <p class={one.state === "failed" ? "bad" : "dim"}>
              <span aria-hidden="true">{STATES[one.state][0]}</span> {one.words ? <Said words={one.words} /> : STATES[one.state][1]}
              <Cites ids={one.evidence} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Connections({ report }: { report: Report }): JSX.Element {
  return (
    <section>
      <h2>How the answers are connected</h2>
      <ul class="notes">
        {report.connections.map((one, number) => (
          <li key={number}>
            <Said words={one.words} /> <span class="dim" lang="en">{one.found_by}</span>
            <Cites ids={one.evidence} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The drawing of the server; the list of sub-questions above says the same in words. */
function Plan({ answer, report }: { answer: string; report: Report }): JSX.Element {
  const [fails, setFails] = useState(false);
  return (
    <section>
      <h2>Plan of the research</h2>
      {report.order && <p><Said words={report.order} /></p>}
      {fails ? (
        <p class="caution">The drawing of the plan could not be loaded.</p>
      ) : (
        <div class="scroll drawing" role="region" aria-label="Drawing of the plan" tabIndex={0}>
          <img src={`.${answerPath(answer, "plan.svg")}`} alt={t`${report.plan.subquestions.length} sub-questions and ${report.plan.keywords.length} keywords in the order in which they were searched`} onError={() => setFails(true)} />
        </div>
      )}
      {report.plan.notes.map((note) => (
        <p key={note} class="dim">
          <Said words={note} />
        </p>
      ))}
    </section>
  );
}

const COUNTS = listed("found", "merged", "filtered", "cut", "kept", "cited");

function Flow({ report }: { report: Report }): JSX.Element {
  return (
    <section>
      <h2>What was found, left out and kept</h2>
      <div class="scroll" role="region" aria-label="Search counts" tabIndex={0}>
        <table data-testid="flow">
          <thead>
            <tr>
              <th scope="col">Sub-question</th>
              <th scope="col">Searched in</th>
              {COUNTS.map((name) => (
                <th key={name} scope="col">
                  {word(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {report.flow.map((row) => (
              <tr key={`${row.subquestion} ${row.tool}`}>
                <th scope="row">{row.subquestion}</th>
                <td dir="auto">{row.tool}</td>
                {COUNTS.map((name) => (
                  <td key={name}>{row[name].toLocaleString(locale)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint dim">Merged: the same paper from several databases. Filtered: too few keywords, or not on the topic. Cut: not among the best.</p>
    </section>
  );
}

function Files({ answer, files }: { answer: string; files: Report["files"] }): JSX.Element {
  const [problem, setProblem] = useState<Problem | null>(null);
  const keep = (name: string): void => {
    save(name, fetchFile("GET", answerPath(answer, `files/${encodeURIComponent(name)}`))).catch((error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <section>
      <h2>Structures and files</h2>
      {problem && <ProblemBox problem={problem} />}
      <ul class="files" data-testid="files">
        {files.map((file) => (
          <li key={file.name}>
            <p>
              <span class="strong" dir="auto">{file.title}</span> <span class="dim"><Said words={file.words} /></span>
            </p>
            <div class="row">
              {formOf(file.name) && <Structure answer={answer} name={file.name} title={file.title} />}
              <button type="button" class="quiet" onClick={() => keep(file.name)}>
                Save {file.name}
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
