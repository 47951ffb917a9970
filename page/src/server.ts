// What the server says, in the reader's language: sentences by their form, with what stands in them as it is.
// A form is English without its full stop. The text of documents is not translated, nor what fits no form.
import { capital } from "./text";
import { words } from "./words";

/** What the server calls corpus and recipe; its commands keep their names. */
export const plain = (words: string): string =>
  words
    .replace(/(?<!medground )\b([Cc])orpora\b/g, (_, c: string) => `${c}ollections`)
    .replace(/(?<!medground )\b([Cc])orpus\b/g, (_, c: string) => `${c}ollection`)
    .replace(/(?<!medground )\brecipe/g, "method");

interface Form {
  to: string;
  pattern: RegExp;
}

/** What a form holds never runs over the end of a sentence. */
const HELD = "((?:(?![.?!] ).)+?)";
const escaped = (text: string): string => text.replace(/[.*+?^$|()[\]\\]/g, "\\$&").replace(/\{\d\}/g, HELD);
/** A first letter in either case: a sentence within another has a small one. */
const anyCase = (key: string): string => key.replace(/^\p{L}/u, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
const lettered = (key: string): string => anyCase(escaped(key));
/** The words of the language after a mark, the longest first: what is said more exactly goes before. */
const marked = (mark: string): [string, string][] =>
  Object.entries(words).filter(([key]) => key.startsWith(mark)).map(([key, translated]): [string, string] => [key.slice(mark.length), translated]).sort(([one], [other]) => other.length - one.length);
const forms = marked("= ").map(([key, to]) => ({ to, open: /[:?]$/.test(key), pattern: new RegExp(`(?<=^|[.?!:;”] )${lettered(key)}${/[:?]$/.test(key) ? "(?= |$)" : "(\\.(?= |$)|$|(?<=[?!]”)(?= ))"}`, "gu") }));
const entire = (mark: string): Form[] => marked(mark).map(([key, to]) => ({ to, pattern: new RegExp(`^${lettered(key)}$`, "u") }));
const parts = entire("- ");
const statements = entire("; ");
const alone = new Map(marked("- "));

const filled = (to: string, held: string[]): string => to.replace(/\{(\d)\}/g, (_, place: string) => part(held[Number(place)] ?? ""));
/** A translation, with a capital where the text had one. */
const like = (text: string, translated: string): string => (/^\p{Lu}/u.test(text) ? capital(translated) : translated);

/** The translation of a text that fits one of these forms as a whole. */
function whole(text: string, among: Form[]): string | undefined {
  for (const { to, pattern } of among) {
    const found = pattern.exec(text);
    if (found) return like(text, filled(to, found.slice(1)));
  }
  return undefined;
}

/** What stands in a form, such as a count: each of several things that commas part. */
export function part(text: string): string {
  const translated = whole(text, parts);
  if (translated !== undefined) return translated;
  const [first, between, others] = text.split(/([,;] )(?![^()]*\))(.*)/s);
  return between && first !== undefined ? part(first) + between + part(others ?? "") : text;
}

/** A part of a text: in the reader's language, or in English. */
interface Piece {
  words: string;
  lang?: "en";
}

/** What others wrote, such as an erratum, is hidden while a text is translated: a character stands for each quote. */
const FIRST_HIDDEN = 0xe000;

/** A text of the server in pieces: those whose form is known in the reader's language, the others in English. */
export function pieces(text: string): Piece[] {
  const same = alone.get(plain(text));
  if (same) return [{ words: same }];
  const quoted: string[] = [];
  const hidden = text.replace(/(?<=“)[^“”]+(?=”)/g, (quote) => String.fromCharCode(FIRST_HIDDEN + quoted.push(quote) - 1));
  const shown = (words: string): string => words.replace(/[\ue000-\uf8ff]/g, (mark) => quoted[mark.charCodeAt(0) - FIRST_HIDDEN] ?? mark);
  return translated(plain(hidden)).map((piece) => ({ ...piece, words: shown(piece.words) }));
}

function translated(english: string): Piece[] {
  const known: { start: number; end: number; words: string }[] = [];
  for (const { to, open, pattern } of forms) {
    for (const match of english.matchAll(pattern)) {
      const [found, ...held] = match;
      const [start, end] = [match.index, match.index + found.length];
      const stop = open ? "" : held.pop();
      if (known.every((one) => end <= one.start || one.end <= start)) known.push({ start, end, words: like(found, filled(to, held)) + stop });
    }
  }
  known.sort((one, other) => one.start - other.start);
  const told: Piece[] = [];
  let at = 0;
  for (const { start, end, words } of known) {
    told.push(...clauses(english.slice(at, start)), { words });
    at = end;
  }
  return [...told, ...clauses(english.slice(at))];
}

/** Sentences that fit no form, clause by clause. */
const clauses = (text: string): Piece[] =>
  text.split(/([.:;] |\.$)/).filter(Boolean).map((one) => {
    const words = whole(one, statements);
    return words === undefined ? { words: one, lang: "en" } : { words };
  });

/** A text of the server in the reader's language, as far as its forms are known. */
export const said = (text: string): string => pieces(text).map((one) => one.words).join("");

/** The language of a text that `said` was given: English where it is still the same. */
export const langOf = (text: string): string | undefined => (said(text) === plain(text) ? "en" : undefined);
