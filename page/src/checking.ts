// A check of a text, as the server gives it: `src/medground/values/finding.py`. Offsets count code points.
import { CodePoints } from "./text";
import { t } from "./words";

export interface Finding {
  file: string;
  sentence: string;
  start: number;
  end: number;
  kind: string;
  cited: string[];
  evidence: { ref: string; quote: string } | null;
  reason: string;
}

export interface TextCheck {
  findings: Finding[];
  references: { file: string; mark: string; entry: string; ref: string | null; title: string; reason: string }[];
  remarks: string[];
  texts: Record<string, string>;
}

/** The name of each kind of finding. */
export const KINDS: Record<string, string> = {
  supported: t`Supported`,
  contradicted: t`Contradicted`,
  silent: t`Not in the cited text`,
  elsewhere: t`Stated by another paper`,
  fabricated_quote: t`Fabricated quotation`,
  altered_quote: t`Altered quotation`,
  number: t`Wrong number`,
  false_absence: t`False absence`,
  retracted: t`Retracted paper`,
  wrong_reference: t`Wrong reference`,
  not_checked: t`Not checked`,
};

/** The class of a kind, for its colour; its name always stands beside it. */
export const looks = (kind: string): string => (kind === "supported" ? "good" : kind === "not_checked" ? "caution" : "bad");

/** A text cut at its findings: each piece with the place of its finding, or null between them. */
export function sliced(text: string, findings: Finding[], file: string): [string, number | null][] {
  const points = new CodePoints(text);
  const pieces: [string, number | null][] = [];
  let last = 0;
  const own = findings.map((one, at) => ({ one, at })).filter(({ one }) => one.file === file);
  for (const { one, at } of own.sort((a, b) => a.one.start - b.one.start)) {
    const [start, end] = [Math.max(one.start, last), Math.min(one.end, points.length)];
    if (start >= end) continue;
    pieces.push([points.slice(last, start), null], [points.slice(start, end), at]);
    last = end;
  }
  return [...pieces, [points.slice(last), null]];
}

/** The content of a file as base64. */
export async function base64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}
