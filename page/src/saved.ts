// What a person saved: projects, notes, questions to watch. It is kept on the server, for them alone.
import { useEffect, useState } from "preact/hooks";
import { call, get } from "./api";
import type { Offers } from "./types";

export interface Item {
  answer: string;
  question: string;
}

export interface Project {
  name: string;
  items: Item[];
  note: string;
}

export interface Watched extends Item {
  /** When it was last asked, and the state of each collection then. */
  asked: string;
  states: Record<string, string>;
  /** Its new answer, where the server asked it again and something has changed; or why it could not. */
  again?: string;
  failed?: string;
}

export interface SavedWork {
  projects: Project[];
  watched: Watched[];
  /** Notes on the certainty of an answer's evidence, by domain. */
  notes: Record<string, Record<string, string>>;
  /** Papers that were removed from an answer's table, with the reason. */
  removed: Record<string, Record<string, string>>;
}

const NOTHING: SavedWork = { projects: [], watched: [], notes: {}, removed: {} };
let current: SavedWork | null = null;
const listeners = new Set<(saved: SavedWork) => void>();

function set(saved: SavedWork): void {
  current = saved;
  for (const listener of listeners) listener(saved);
}

const read = async (): Promise<SavedWork> => ({ ...NOTHING, ...(await get<Partial<SavedWork>>("/v1/saved")) });
let last: Promise<unknown> = Promise.resolve();

/** One after the other: what was read before a change never takes its place. */
function inTurn(work: () => Promise<void>): Promise<void> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

/** Change what is saved, here and on the server; what another tab saved meanwhile is kept. Rejects if it cannot be. */
export function save(change: (saved: SavedWork) => Partial<SavedWork>): Promise<void> {
  return inTurn(async () => {
    const before = await read();
    const next = { ...before, ...change(before) };
    await call("PUT", "/v1/saved", next);
    set(next);
  });
}

/** What is saved, and again whenever it changes; null until the server has told. */
export function useSaved(): SavedWork | null {
  const [saved, setSaved] = useState(current);
  useEffect(() => {
    listeners.add(setSaved);
    inTurn(async () => set(await read())).catch(() => undefined);
    return () => void listeners.delete(setSaved);
  }, []);
  return saved;
}

export const statesOf = (offers: Offers): Record<string, string> => Object.fromEntries(offers.corpora.map((one) => [one.name, one.hash ?? ""]));

/** The collections that have changed, or are new, since a question was last asked. */
export const changedSince = (one: Watched, offers: Offers): string[] => offers.corpora.filter((now) => now.default && one.states[now.name] !== now.hash).map((now) => now.name);
