// Text of documents and questions: offsets count code points, and nothing in it may hide or turn what is read.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** Text without control, format and direction characters, each replaced by a space: as `phrases.clean` of the server. */
export function clean(text: string): string {
  return text.replace(HIDDEN, (character) => (character === "\n" ? "\n" : " "));
}

/** How many characters of a text nobody can see, white space aside. */
export function hiddenIn(text: string): number {
  return [...text.matchAll(HIDDEN)].filter(([character]) => !"\n\r\t".includes(character)).length;
}

/** A text that is cut by code points, as Python counts them: JavaScript counts a rare character as two. */
export class CodePoints {
  private readonly characters: string[];

  constructor(text: string) {
    this.characters = Array.from(text);
  }

  get length(): number {
    return this.characters.length;
  }

  slice(start: number, end?: number): string {
    return this.characters.slice(start, end).join("");
  }
}

/** White space as one space: quotes are compared and shown in one line. */
export const oneLine = (text: string): string => clean(text).split(/\s+/u).filter(Boolean).join(" ");

export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
