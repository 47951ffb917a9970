import type { JSX } from "preact";
import { langOf, said } from "../server";

/** A text of the server in the reader's language; in English, and marked so, where it has no translation. */
export const Said = ({ words }: { words: string }): JSX.Element => <span lang={langOf(words)}>{said(words)}</span>;
