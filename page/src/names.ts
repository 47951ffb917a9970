// Names and words as people who read medicine say them.
import type { Corpus, SourceDocument } from "./types";
import { said } from "./server";
import { capital } from "./text";
import { locale, many, t } from "./words";

/** The name of a collection, with a capital. */
export const titleOf = (one: Corpus): string => capital(one.title ? said(one.title) : one.name);

/** How much a collection holds, and of when it is. */
export function aboutCollection(one: Corpus): [string, string] {
  if (one.problem) return [said(one.problem), ""];
  const built = one.created ? `, ${new Date(one.created).toLocaleDateString(locale, { day: "numeric", month: "short", year: "numeric" })}` : "";
  return [one.graph ? t`${(one.documents ?? 0).toLocaleString(locale)} entries` : many(one.documents ?? 0, "paper"), built];
}

export const sourceTitle = (name: string): string => (name === "pubmed" ? t`PubMed, live` : capital(name));

/** A name that files can have, of the name that a person typed: `My Lung Papers` becomes `my-lung-papers`. */
export const slug = (typed: string): string =>
  typed.normalize("NFKD").replace(/[\p{M}'’]/gu, "").toLowerCase().replaceAll("ß", "ss").replace(/[^a-z0-9._]+/g, "-").replace(/^[^a-z0-9]+|-+$/g, "").slice(0, 64);

const SHARED = /^(PMID|PMC|DOI|OMIM|ORPHA|HP|MONDO|NCT)/;
/** An id that the world knows; the name of a file on this server says nothing to a reader. */
export const sharedId = (id: string): string => (SHARED.test(id) ? id : "");

/** `Smith et al.`, or "" where no author is known. */
export function authorsOf(one: Pick<SourceDocument, "authors">): string {
  const [first, ...others] = one.authors;
  if (!first) return "";
  const family = first.includes(",") ? first.split(",")[0] : first.replace(/\s\p{Lu}{1,3}$/u, "");
  return others.length ? t`${family} et al.` : (family ?? first);
}

/** Author, year, journal, design: what is known of them. */
export const byline = (one: SourceDocument): string =>
  [authorsOf(one), one.year, one.journal, one.kind === "graph" ? t`knowledge graph` : said(one.design), sharedId(one.id)].filter(Boolean).join(" · ");
