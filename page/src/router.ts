// Routes by hash: `#/answer/ID/cite/E1?x=y` is the view `answer` with the parts ID, cite, E1 and the query x.
import { useEffect, useState } from "preact/hooks";

export interface Route {
  view: string;
  parts: string[];
  query: URLSearchParams;
}

export function readRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view = "", ...parts] = path.split("/").map(decoded);
  return { view: view || "ask", parts, query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a view: `address("answer", [id], { x: "y" })`. */
export function address(view: string, parts: string[] = [], query: Record<string, string> = {}): string {
  const asked = new URLSearchParams(query).toString();
  return `#/${[view, ...parts].map(encodeURIComponent).join("/")}${asked ? `?${asked}` : ""}`;
}

/** Go to a view; `replace` leaves no entry in the history. */
export function go(to: string, replace = false): void {
  if (replace) {
    history.replaceState(history.state, "", to);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

/** The route now, and again whenever it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const changed = (): void => setRoute(readRoute(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
