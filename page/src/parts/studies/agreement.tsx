import type { JSX } from "preact";
import type { Agreement } from "./types";
import { t } from "../../words";
import { Said } from "../said";

/** How many studies of each design support, contradict or do neither: in words, then as numbers. */
export function AgreementTable({ agreement }: { agreement: Agreement }): JSX.Element {
  return (
    <section data-testid="agreement">
      <h2>Agreement by design</h2>
      <p>
        <Said words={agreement.words} />
      </p>
      <div class="scroll" role="region" aria-label="Agreement by design" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {[t`Design`, t`Studies`, t`▲ Support`, t`▼ Contradict`, t`◆ Neither`, t`○ Not judged`].map((words) => (
                <th key={words} scope="col">
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {agreement.designs.map((one) => (
              <tr key={one.design}>
                <th scope="row"><Said words={one.design} /></th>
                <td>{one.studies}</td>
                <td>{one.supports}</td>
                <td>{one.contradicts}</td>
                <td>{one.neither}</td>
                <td>{one.not_judged}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
