// The collections: what each holds, and a new one from files of this computer.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { corpora, type CorpusListed } from "../keeping";
import { count, day, many } from "../parts/figures";
import { useReloaded } from "../parts/loading";
import { ProblemBox } from "../parts/problem";
import { Sheet } from "../parts/sheet";
import { Upload } from "../parts/upload";
import { titleOf } from "../names";
import { said } from "../server";
import { address, type Route } from "../router";
import { edits, useSession } from "../session";
import { CorpusView } from "./corpus";
import { t } from "../words";

export function CorporaPage({ route }: { route: Route }): JSX.Element {
  return route.parts[0] ? <CorpusView name={route.parts[0]} /> : <All />;
}

function All(): JSX.Element {
  const session = useSession();
  const [version, setVersion] = useState(0);
  const loaded = useReloaded(corpora, "corpora", version);
  return (
    <div class="wide">
      <h1>Collections</h1>
      <p class="dim">What your questions are answered from. Everything stays on this server.</p>
      {loaded.state === "loading" && <p class="dim">Loading the collections</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && (loaded.value.length === 0 ? <p>There are no collections yet. Build one from files below.</p> : <Table all={loaded.value} />)}
      {edits(session) && (
        <section aria-labelledby="build">
          <h2 id="build">Build a collection</h2>
          <Upload existing={loaded.state === "loaded" ? loaded.value.map((one) => one.name) : []} built={() => setVersion((before) => before + 1)} />
        </section>
      )}
      {session && !edits(session) && <p class="dim">You may read collections but not build or remove them.</p>}
    </div>
  );
}

function Table({ all }: { all: CorpusListed[] }): JSX.Element {
  return (
    <Sheet label={t`Collections`} columns={[t`Name`, t`Papers`, t`Built`, t`State`]}>
      {all.map((one) => (
        <tr key={one.name}>
          <th scope="row">
            <a href={address("corpora", [one.name])}>{titleOf(one)}</a>
          </th>
          {one.problem ? (
            <td colSpan={3} class="bad">
              {said(one.problem)}
            </td>
          ) : (
            <>
              <td class="number">{count(one.documents ?? 0)}</td>
              <td>{one.created ? day(one.created) : ""}</td>
              <td>{stateOf(one)}</td>
            </>
          )}
        </tr>
      ))}
    </Sheet>
  );
}

function stateOf(one: CorpusListed): string {
  const parts = [
    one.default ? t`searched by default` : "",
    one.graph ? t`has a knowledge graph` : "",
    one.passed_over ? t`${many(one.passed_over, "file")} skipped` : "",
    one.skipped ? t`${many(one.skipped, "record")} skipped` : "",
    one.retracted ? t`${count(one.retracted)} retracted` : "",
  ];
  return parts.filter(Boolean).join(", ") || t`ready`;
}
