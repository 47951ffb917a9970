// What was used this month, and by whom.
import type { JSX } from "preact";
import { type Limits, type Spent, tokens, type TokenUse, usage } from "../keeping";
import { count, day, many } from "../parts/figures";
import { useLoaded } from "../parts/loading";
import { ProblemBox } from "../parts/problem";
import { Sheet } from "../parts/sheet";
import { useSession } from "../session";
import { listed, t, word } from "../words";

export function UsagePage(): JSX.Element {
  const session = useSession();
  const loaded = useLoaded(usage, "usage");
  return (
    <div class="column">
      <h1>Usage</h1>
      <p class="dim">Usage since the first day of this month (UTC).</p>
      {loaded.state === "loading" && <p class="dim">Loading usage</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && (
        <section aria-labelledby="own">
          <h2 id="own">{session?.login ? t`Your token, ${loaded.value.name}` : t`This computer`}</h2>
          <Figures spent={loaded.value.month} limits={loaded.value.limits} />
        </section>
      )}
      {session?.role === "admin" && <Tokens />}
    </div>
  );
}

function Figures({ spent, limits }: { spent: Spent; limits: Limits }): JSX.Element {
  const of = (limit: number | string | null): string => (limit === null ? t`no limit` : String(limit));
  const rows: [string, string, string][] = [
    [t`Requests`, count(spent.requests), limits.rate === null ? t`no limit` : t`${limits.rate} a minute`],
    [t`Model tokens, in and out`, t`${count(spent.input_tokens)} in, ${count(spent.output_tokens)} out`, limits.tokens === null ? t`no limit` : t`${count(limits.tokens)} a month`],
    [t`Model calls`, count(spent.model_calls), ""],
    [t`Searches`, count(spent.searches), ""],
    [t`Seconds`, count(Math.round(spent.seconds)), ""],
    [t`Money`, money(spent), limits.money === null ? t`no limit` : t`$${limits.money} a month`],
    [t`At once`, "", of(limits.concurrent)],
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Figures">
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Used</th>
            <th scope="col">Limit</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, used, limit]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{used}</td>
              <td>{limit}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const money = (spent: Spent): string => `$${Number(spent.money).toFixed(4)}${spent.unpriced ? t`, and ${many(spent.unpriced, "request")} of unknown price` : ""}`;

function Tokens(): JSX.Element {
  const loaded = useLoaded(tokens, "tokens");
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">All tokens</h2>
      {loaded.state === "loading" && <p class="dim">Loading the tokens</p>}
      {loaded.state === "failed" && <ProblemBox problem={loaded.problem} />}
      {loaded.state === "loaded" && loaded.value.length === 0 && <p>There are no tokens. Create one with the command medground token create NAME.</p>}
      {loaded.state === "loaded" && loaded.value.length > 0 && (
        <Sheet label={t`Table of tokens`} columns={[t`Token`, t`Requests`, t`Model tokens`, t`Money`, t`State`]}>
          {loaded.value.map((one) => (
            <tr key={`${one.name} ${one.created}`}>
              <th scope="row">{one.name}</th>
              <td>{count(one.month.requests)}</td>
              <td>{count(one.month.input_tokens + one.month.output_tokens)}</td>
              <td>{money(one.month)}</td>
              <td>{stateOf(one)}</td>
            </tr>
          ))}
        </Sheet>
      )}
    </section>
  );
}

/** The roles as the server names them. */
listed("reader", "editor", "admin");
const stateOf = (one: TokenUse): string => (one.revoked ? t`revoked ${day(one.revoked)}` : t`since ${day(one.created)}, ${word(one.role)}`);
