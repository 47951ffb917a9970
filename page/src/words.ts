// The words of the page in the reader's language; `words.js` says how they get here. English needs no file.
import type { ComponentChildren } from "preact";

export const LANGUAGES = { en: "English", de: "Deutsch", es: "Español", fr: "Français" };
export type Language = keyof typeof LANGUAGES;
const KEY = "medground-language";
const FILES: Partial<Record<Language, () => Promise<{ default: Record<string, string> }>>> = {
  de: () => import("./words/de.json"),
  es: () => import("./words/es.json"),
  fr: () => import("./words/fr.json"),
};

const known = (name: string | null): name is Language => name !== null && name in LANGUAGES;

function chosen(): Language {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // storage may be blocked
  }
  return known(kept) ? kept : (navigator.languages.map((one) => one.slice(0, 2).toLowerCase()).find(known) ?? "en");
}

/** The language of the page; it holds until the page is loaded again. */
export const language = chosen();
/** How numbers and dates are written. */
export const locale = language === "en" ? "en-GB" : language;
/** The words of the language by their English ones; none in English. */
export const words: Record<string, string> = (await FILES[language]?.().catch(() => undefined))?.default ?? {};
document.documentElement.lang = Object.keys(words).length ? language : "en";

export function chooseLanguage(to: Language): void {
  try {
    localStorage.setItem(KEY, to);
  } catch {
    return; // storage is blocked: the browser's language stays
  }
  location.reload();
}

/** A text in the language of the page. */
export const word = (english: string): string => words[english] ?? english;

const pieces = (key: string): string[] => word(key).split(/\{(\d)\}/);

/** A text with values: t`${3} papers`. */
export const t = (english: TemplateStringsArray, ...values: unknown[]): string =>
  pieces(english.map((one, place) => (place ? `{${place - 1}}` : "") + one).join("")).map((one, place) => (place % 2 ? String(values[Number(one)]) : one)).join("");

/** A text between tags; what stands within it keeps its place among the words of the language. */
export function tx(key: string): string;
export function tx(key: string, ...values: ComponentChildren[]): ComponentChildren;
export function tx(key: string, ...values: ComponentChildren[]): ComponentChildren {
  const found = pieces(key).map((one, place) => (place % 2 ? values[Number(one)] : one));
  return values.length ? found : found.join("");
}

/** Names that are kept or sent in English, and shown by `word` in the reader's language. */
export const listed = <T extends string>(...english: T[]): T[] => english;

/** A counted thing: `3 papers`. The keys are `{0} paper` and `{0} papers`. */
export const many = (value: number, what: string): string => word(`{0} ${what}${value === 1 ? "" : "s"}`).replace("{0}", value.toLocaleString(locale));
