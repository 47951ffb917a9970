import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../types";
import { problemOf } from "./problem";

export type Loaded<T> = { state: "loading" } | { state: "loaded"; value: T } | { state: "failed"; problem: Problem };

/** What a call returns, called again whenever `key` changes; an older call is given up. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, key: string): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  useEffect(() => {
    const control = new AbortController();
    setLoaded({ state: "loading" });
    load(control.signal).then(
      (value) => control.signal.aborted || setLoaded({ state: "loaded", value }),
      (error: unknown) => control.signal.aborted || setLoaded({ state: "failed", problem: problemOf(error) }),
    );
    return () => control.abort();
  }, [key]);
  return loaded;
}

/** As `useLoaded`, but what was loaded stays until its next version is there: a form beside it keeps its state. */
export function useReloaded<T>(load: (signal: AbortSignal) => Promise<T>, key: string, version: number): Loaded<T> {
  const loaded = useLoaded(load, `${key} ${version}`);
  const last = useRef<{ key: string; loaded: Loaded<T> } | null>(null);
  if (loaded.state === "loaded") last.current = { key, loaded };
  return loaded.state === "loading" && last.current?.key === key ? last.current.loaded : loaded;
}
