// What only a printed page has, and what of a page is unfolded for it.
import type { JSX } from "preact";
import type { Answered } from "../types";
import { locale, t } from "../words";

export const askedOn = ({ created }: Answered): string => t`Asked on ${new Date(created).toLocaleDateString(locale, { day: "numeric", month: "long", year: "numeric" })}.`;

export function AskedOn({ answer }: { answer: Answered }): JSX.Element {
  return <p class="dim on-paper">{askedOn(answer)}</p>;
}

const FOLDED = "details.printed:not([open])";

/** Open what belongs on paper while the page is printed. */
export function unfoldForPrint(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>(FOLDED)];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}
