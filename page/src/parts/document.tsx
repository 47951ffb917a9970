// The text of a document by its sections, with slices of it marked.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { CodePoints, hiddenIn, oneLine } from "../text";
import type { DocumentText } from "../types";
import { Marked, type Slice } from "./marked";
import { many } from "../words";

export function DocumentBody({ document, slices, chosen }: { document: DocumentText; slices: Slice[]; chosen: string }): JSX.Element {
  const text = useMemo(() => new CodePoints(document.text), [document.text]);
  const hidden = hiddenIn(document.text);
  return (
    <div class="document" dir="auto">
      {blocks(document.sections, text).map((block) => (
        <section key={block.start}>
          {block.label && <h3>{oneLine(block.label).toLowerCase()}</h3>}
          <p>
            <Marked text={text} start={block.start} end={block.end} slices={slices} chosen={chosen} />
          </p>
        </section>
      ))}
      {hidden > 0 && <p class="caution">This text has {many(hidden, "character")} that cannot be seen; they are shown as spaces.</p>}
    </div>
  );
}

/** The text as its sections, with what lies between them unless that is only white space. */
function blocks(sections: DocumentText["sections"], text: CodePoints): { label: string; start: number; end: number }[] {
  const found: { label: string; start: number; end: number }[] = [];
  const add = (label: string, start: number, end: number): void => {
    const part = text.slice(start, end);
    if (part.trim()) found.push({ label, start: start + part.length - part.trimStart().length, end }); // white space is one code point each
  };
  let last = 0;
  for (const section of sections) {
    add("", last, section.start);
    add(section.label, section.start, section.end);
    last = section.end;
  }
  add("", last, text.length);
  return found;
}
