import type { JSX } from "preact";
import type { Fact } from "../types";
import { Cite } from "./cite";
import { language, t } from "../words";

/** What a knowledge graph states, with how often it was seen. */
export function Facts({ facts }: { facts: Fact[] }): JSX.Element {
  return (
    <section>
      <h2>Stored facts</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Stored facts">
        <table>
          <thead>
            <tr>
              <th scope="col">Subject</th>
              <th scope="col">Relation</th>
              <th scope="col">Object</th>
              <th scope="col">Frequency</th>
              <th scope="col">Stated in</th>
              <th scope="col">Quote</th>
            </tr>
          </thead>
          <tbody>
            {facts.map((fact) => (
              <tr key={fact.evidence} lang="en">
                <td>{fact.subject}</td>
                <td>{fact.relation}</td>
                <td>{fact.object}</td>
                <td>{fact.frequency || <span lang={language}>{t`not stated`}</span>}</td>
                <td class="dim">{fact.references.join(", ")}</td>
                <td>
                  <Cite id={fact.evidence} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
