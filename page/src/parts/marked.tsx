// A text with slices of it marked, by offsets in code points.
import type { ComponentChildren, JSX } from "preact";
import { clean, CodePoints } from "../text";

export interface Slice {
  id: string;
  start: number;
  end: number;
}

/** The text from `start` to `end` with the slices marked; `chosen` is the one that is looked at. */
export function Marked({ text, start, end, slices, chosen }: { text: CodePoints; start: number; end: number; slices: Slice[]; chosen: string }): JSX.Element {
  const inside = slices.filter((slice) => slice.start < end && slice.end > start);
  const cuts = [...new Set([start, end, ...inside.flatMap((slice) => [slice.start, slice.end])])].filter((at) => at >= start && at <= end).sort((a, b) => a - b);
  const parts: ComponentChildren[] = [];
  for (let number = 0; number + 1 < cuts.length; number++) {
    const [from, to] = [cuts[number] ?? start, cuts[number + 1] ?? end];
    const over = inside.filter((slice) => slice.start <= from && slice.end >= to);
    const words = clean(text.slice(from, to));
    const best = over.find((slice) => slice.id === chosen) ?? over[0];
    parts.push(
      best ? (
        <mark key={from} id={from === best.start ? `quote-${best.id}` : undefined} class={best.id === chosen ? "chosen" : ""}>
          {words}
        </mark>
      ) : (
        words
      ),
    );
  }
  return <>{parts}</>;
}
