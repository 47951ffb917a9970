// A document by its id, with a passage of it marked: `#/document/PMID:1?start=0&end=10`.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { documentText } from "../api";
import { DocumentBody } from "../parts/document";
import { useLoaded } from "../parts/loading";
import { Lost } from "../parts/problem";
import { address, type Route } from "../router";
import { oneLine } from "../text";
import { t } from "../words";

export function DocumentPage({ route }: { route: Route }): JSX.Element {
  const id = route.parts.join("/");
  const corpora = route.query.getAll("corpus");
  const loaded = useLoaded((signal) => documentText(id, corpora, signal), id);
  const [start, end] = [Number(route.query.get("start")), Number(route.query.get("end"))];
  useEffect(() => document.querySelector("mark.chosen")?.scrollIntoView({ block: "center" }), [loaded.state]);
  if (loaded.state === "loading") return <p class="column dim">Loading the document</p>;
  if (loaded.state === "failed") return <Lost title={id} problem={loaded.problem} />;
  const shown = loaded.value;
  return (
    <article class="column">
      {shown.retraction !== "none" && <p class="retraction">{MARKS[shown.retraction]}</p>}
      <h1 dir="auto">{oneLine(shown.title) || shown.id}</h1>
      <p class="dim">{[shown.id, shown.journal && oneLine(shown.journal), shown.year].filter(Boolean).join(" · ")}</p>
      <DocumentBody document={shown} slices={end > start ? [{ id: "passage", start, end }] : []} chosen="passage" />
      <p>
        <a href={address("ask")}>Ask a question</a>
      </p>
    </article>
  );
}

export const MARKS = {
  none: "",
  retracted: t`RETRACTED: not used as evidence.`,
  notice: t`A retraction notice: not used as evidence.`,
  concern: t`An expression of concern has been published about this paper.`,
};
