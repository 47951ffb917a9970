// A view whose code is loaded when it is opened: most readers never open it.
import type { ComponentType, JSX } from "preact";
import type { Route } from "../router";
import { useLoaded } from "./loading";
import { ProblemBox } from "./problem";

type Page = ComponentType<{ route: Route }>;

export function later(load: () => Promise<Page>): Page {
  return function Later({ route }): JSX.Element {
    const loaded = useLoaded(load, "");
    if (loaded.state === "loading") return <p class="column dim">Loading the page</p>;
    if (loaded.state === "failed") return <ProblemBox problem={loaded.problem} />;
    return <loaded.value route={route} />;
  };
}
