import { useEffect, useState } from "preact/hooks";
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
