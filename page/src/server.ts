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
const parts = marked("- ").map(([key, to]) => ({ to, pattern: new RegExp(`^${lettered(key)}$`, "u") }));
const alone = new Map(marked("- "));

const filled = (to: string, held: string[]): string => to.replace(/\{(\d)\}/g, (_, place: string) => part(held[Number(place)] ?? ""));
/** A translation, with a capital where the text had one. */
const like = (text: string, translated: string): string => (/^\p{Lu}/u.test(text) ? capital(translated) : translated);

/** What stands in a form: each of several things that commas part. */
function part(text: string): string {
  for (const { to, pattern } of parts) {
    const found = pattern.exec(text);
    if (found) return like(text, filled(to, found.slice(1)));
  }
  const [first, between, others] = text.split(/([,;] )(?![^()]*\))(.*)/s);
  return between && first !== undefined ? part(first) + between + part(others ?? "") : text;
}

/** A text of the server in the reader's language, as far as its forms are known. */
export function said(text: string): string {
  const english = plain(text);
  const whole = alone.get(english);
  if (whole) return whole;
  return forms.reduce((told, { to, open, pattern }) => told.replace(pattern, (found: string, ...held: unknown[]) => {
    const values = held.slice(0, held.findIndex((one) => typeof one === "number")) as string[];
    const end = open ? "" : (values.pop() ?? "");
    return like(found, filled(to, values)) + end;
  }), english);
}

/** The language of a text that `said` was given: English where it is still the same. */
export const langOf = (text: string): string | undefined => (said(text) === plain(text) ? "en" : undefined);
