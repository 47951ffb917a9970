// What the server says, in the reader's language: sentences by their form, with what stands in them as it is.
// A form is English without its full stop. The text of documents is not translated, nor what fits no form.
import { capital } from "./text";
import { language, listed, word } from "./words";

const FORMS = listed(
  // first lines, and why
  "Nothing found in {0}: the question does not look English; only English is read, and nothing was translated",
  "Nothing found on {0} in {1}",
  "Nothing found that answers this in {0}",
  "No answer in {0} read from {1}",
  "What the sources say",
  "Not judged",
  "Unanswerable",
  "The knowledge graph did not understand the question; the texts searched have no evidence on it; ask for example {0}",
  "The knowledge graph did not understand the question; the texts searched have no evidence on it",
  "The knowledge graph did not understand the question; ask for example {0}",
  "The knowledge graph did not understand the question",
  "According to the knowledge graph {0}",
  "Ask instead: {0}",
  "Not searched: {0}",
  "Nearest, about something else:",
  // what became of a sentence
  "Quoted from the source",
  "Quoted from the source ({0})",
  "Quoted from the source from the {0}",
  "{0}: quoted from the {1}",
  "{0}: quoted ({1})",
  "{0}: quoted",
  "Supported: the stored relation states it",
  "Supported",
  "Partly supported",
  "Contradicted by the cited text",
  "Not found in the cited text",
  "Related text, not assessed",
  "Not assessed",
  // what a reader must know
  "{0} was found but is {1}, so it is not used as evidence",
  "{0} is a version of a retracted paper, so it is not used as evidence",
  "No quote mentions {0}, which the question asks about",
  "No quote mentions {0}, for whom the question asks",
  "No source found compares {0} directly",
  "Every quote is about animals or cells ({0})",
  "“{0}” was read as “{1}”; did you mean that?",
  "“{0}” was read as “{1}” ({2}), after “{3}”; the sources of its answer were searched too",
  "“{0}” was read as “{1}”, after “{2}”; the sources of its answer were searched too",
  "Asked after “{0}”; the sources of its answer were searched too",
  "Asked after “{0}”",
  "RETRACTED: not used as evidence",
  "Could not search {0}: {1}",
  "Searched: {0}",
  "Nothing was searched",
  "Read, not cited: {0}",
  "Limited to {0}",
  // what a build made
  "{0}: {1}, {2}; {3} skipped: {4}",
  "{0}: {1} documents, {2} passages",
  "This is a binary file; Medground reads {0}",
  // a person at risk
  "You do not have to face this alone: please talk to someone now, through a crisis line (988 in the US, 116 123 in the UK; findahelpline.com lists others) or, in danger, your local emergency number (112 in Europe, 911 in North America, 999 in the UK). This tool cannot advise, and it has searched nothing",
  "If this is happening now, call your local emergency number (112 in Europe, 911 in North America, 999 in the UK) now, or your doctor or a poison centre if they know the case. Do not wait for literature: this tool cannot advise, and it has searched nothing",
  "Please have a doctor examine this within days, also if it does not hurt, and at once if it gets worse: most causes are harmless, but some need early treatment. This tool cannot advise: it only reads the literature",
  "Please decide this with a doctor or pharmacist who knows the person, and change no treatment before you have asked. This tool cannot advise: it only reads the literature",
  // what is happening
  "Waiting for its turn",
  "Waiting in line",
  "Searching {0}",
  "Found nothing in {0}",
  "Found {0} in {1}",
  "{0} could not be searched",
  "Reading batch {0} of {1}",
  "Judging statement {0} of {1}",
  "Planning what to ask each source",
  "Splitting the question",
  "Writing the report on {0}",
  // errors, and what to do next
  "Token missing or not valid",
  "Send a valid token",
  "Not found",
  "Check the name, or list what is available",
  "Invalid request",
  "Correct the request",
  "Not available on this server",
  "Choose another method, model or source",
  "Unreadable file",
  "Correct the file or leave it out",
  "Limit reached",
  "Wait, then send the request again",
  "Source busy",
  "Wait, then ask again",
  "Source unavailable",
  "Ask again later",
  "Model failed",
  "Ask again, or choose another model",
  "Budget exhausted",
  "Read what was found so far",
  "Collection damaged",
  "Storage failed",
  "Contact the administrator of this server",
);

/** What stands in a form, where it is not a name: a design, a section, what was counted. */
const PARTS: string[] = listed(
  "Yes",
  "No",
  "Maybe",
  "meta-analysis",
  "systematic review",
  "guideline",
  "practice guideline",
  "randomized controlled trial",
  "clinical trial",
  "observational study",
  "review",
  "case reports",
  "book",
  "encyclopedia article",
  "web page",
  "knowledge graph entry",
  "knowledge graph",
  "protein record",
  "design not stated",
  "year not stated",
  "abstract",
  "background",
  "introduction",
  "methods",
  "results",
  "discussion",
  "conclusion",
  "conclusions",
  "title",
  "a title, not a finding",
  "an aim, question or assumption, not a finding",
  "the sources",
  "an erratum",
  "a retraction notice",
  "retracted",
  "1 result",
  "{0} results",
  "1 file",
  "{0} files",
  "1 document",
  "{0} documents",
  "1 passage",
  "{0} passages",
  "no passages",
  "1 fact",
  "{0} facts",
  "no facts",
  "{0} ({1} searches, up to {2} passages)",
  "{0} ({1} passages)",
  "{0} (no passages)",
  "{0} and {1} others",
  "{0} and {1}",
);

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
const compiled = language === "en" ? [] : FORMS.map((key): [string, RegExp] => [key, new RegExp(`(?<=^|[.?!:;”] )${lettered(key)}${/[:?]$/.test(key) ? "(?= |$)" : "(\\.(?= |$)|$|(?<=[?!]”)(?= ))"}`, "gu")]);
const parts = language === "en" ? [] : PARTS.map((key): [string, RegExp] => [key, new RegExp(`^${lettered(key)}$`, "u")]);

const filled = (key: string, held: string[]): string => word(key).replace(/\{(\d)\}/g, (_, place: string) => part(held[Number(place)] ?? ""));
/** A translation, with a capital where the text had one. */
const like = (text: string, translated: string): string => (/^\p{Lu}/u.test(text) ? capital(translated) : translated);

/** What stands in a form: each of several things that commas part. */
function part(text: string): string {
  for (const [key, pattern] of parts) {
    const found = pattern.exec(text);
    if (found) return like(text, filled(key, found.slice(1)));
  }
  const [first, between, others] = text.split(/([,;] )(?![^()]*\))(.*)/s);
  return between && first !== undefined ? part(first) + between + part(others ?? "") : text;
}

/** A text of the server in the reader's language, as far as its forms are known. */
export function said(text: string): string {
  const english = plain(text);
  return PARTS.includes(english)
    ? word(english)
    : compiled.reduce((told, [key, pattern]) => told.replace(pattern, (found: string, ...held: unknown[]) => {
        const values = held.slice(0, held.findIndex((one) => typeof one === "number")) as string[];
        const end = /[:?]$/.test(key) ? "" : (values.pop() ?? "");
        return like(found, filled(key, values)) + end;
      }), english);
}

/** The language of a text that `said` was given: English where it is still the same. */
export const langOf = (text: string): string | undefined => (said(text) === plain(text) ? "en" : undefined);
