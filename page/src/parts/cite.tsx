import { createContext, type JSX } from "preact";
import { useContext } from "preact/hooks";
import { address } from "../router";
import { said } from "../server";
import { t } from "../words";

/** The answer whose quotes are cited, and the quote that is open. */
export const Cited = createContext<{ answer: string; open: string; studies: Record<string, string> }>({ answer: "", open: "", studies: {} });

/** A citation mark: a link to the quote in its document, which can be shared. */
export function Cite({ id }: { id: string }): JSX.Element {
  const { answer, open, studies } = useContext(Cited);
  return (
    <a class="cite" href={address("answer", [answer, "cite", id])} data-cite={id} aria-current={id === open ? "true" : undefined} title={(studies[id] ?? "").split(", ").map(said).join(", ")} aria-label={t`Quote ${id}`}>
      [{id}]
    </a>
  );
}

export function Cites({ ids }: { ids: string[] }): JSX.Element {
  return (
    <>
      {ids.map((id) => (
        <span key={id}>
          {"\u00a0"}
          <Cite id={id} />
        </span>
      ))}
    </>
  );
}
