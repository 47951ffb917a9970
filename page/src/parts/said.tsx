import type { JSX } from "preact";
import { pieces } from "../server";

/** A text of the server in the reader's language; in English, and marked so, what has no translation. */
export const Said = ({ words }: { words: string }): JSX.Element => (
  <span>
    {pieces(words).map((one) => (
      <span lang={one.lang}>{one.words}</span>
    ))}
  </span>
);
