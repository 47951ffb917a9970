// The order of the rows, and which of them are shown.
import type { Cell, Row } from "./types";
import { said } from "../../server";
import { t } from "../../words";

export type Key = "study" | "year" | "design" | "stance" | number;
/** A fixed column, or the number of one of the reader's own. */

export interface Order {
  key: Key;
  down: boolean;
}

/** The rows in an order; equal ones stay as they were. */
export function sorted(rows: Row[], { key, down }: Order): Row[] {
  const turn = down ? -1 : 1;
  return [...rows].sort((one, other) => turn * compared(one, other, key));
}

function compared(one: Row, other: Row, key: Key): number {
  if (key === "year") return (one.year ?? 0) - (other.year ?? 0);
  if (key === "design") return one.level - other.level || one.design.localeCompare(other.design);
  if (key === "stance") return one.stance.localeCompare(other.stance);
  if (key === "study") return one.title.localeCompare(other.title);
  return byCell(one.cells[key], other.cells[key]);
}

/** Quoted cells come first, by the first number in them where both have one. */
function byCell(one: Cell | undefined, other: Cell | undefined): number {
  const [left, right] = [one?.quote ?? "", other?.quote ?? ""];
  if (!left || !right) return Number(!left) - Number(!right);
  const [first, second] = [number(left), number(right)];
  return first !== null && second !== null && first !== second ? first - second : left.localeCompare(right);
}

function number(text: string): number | null {
  const found = /\d[\d,]*(?:\.\d+)?/.exec(text);
  return found ? Number(found[0].replaceAll(",", "")) : null;
}

export interface Filter {
  words: string;
  design: string;
  retracted: boolean;
}

/** The rows that hold all words somewhere, of one design, with or without the retracted. */
export function filtered(rows: Row[], { words, design, retracted }: Filter): Row[] {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  return rows.filter((row) => {
    if ((design && named(row) !== design) || (!retracted && row.aside)) return false;
    const text = [row.document_id, row.title, row.journal ?? "", row.year ?? "", named(row), ...row.quotes.map((one) => one.quote), ...row.cells.map((one) => one.quote)].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

export const named = (row: Row): string => said(row.design) || t`design not stated`;
