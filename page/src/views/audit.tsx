// Who did what, and when; for those who run the server.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type AuditEntry, auditLog } from "../keeping";
import { day } from "../parts/figures";
import { ProblemBox, problemOf } from "../parts/problem";
import { Sheet } from "../parts/sheet";
import type { Problem } from "../types";
import { listed, t, word } from "../words";

listed("start", "sign-in", "sign-out", "refused", "ask", "answer", "check", "search", "table", "export", "delete", "build", "remove", "token", "revoke", "allow", "clock", "sweep");

export function AuditPage(): JSX.Element {
  const [entries, setEntries] = useState<AuditEntry[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const more = (): void => {
    auditLog(next).then(
      (page) => {
        setEntries((before) => [...before, ...page.entries]);
        setNext(page.next);
      },
      (error: unknown) => setProblem(problemOf(error)),
    );
  };
  useEffect(more, []);
  return (
    <div class="wide">
      <h1>Audit log</h1>
      <p class="dim">Who did what on this server, the latest first. The command medground serve log prints all of it.</p>
      {problem && <ProblemBox problem={problem} />}
      <Sheet label={t`Audit log`} columns={[t`When`, t`Who`, t`Did`, t`What`]}>
        {entries.map((one) => (
          <tr key={one.id}>
            <td>{day(one.at)}</td>
            <td>{one.name}</td>
            <td>{word(one.act)}</td>
            <td dir="auto">{[one.what, one.words].filter(Boolean).join(": ")}</td>
          </tr>
        ))}
      </Sheet>
      {next && (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
    </div>
  );
}
