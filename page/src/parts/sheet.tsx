// A table that may be wider than the page, with the names of its columns.
import type { ComponentChildren, JSX } from "preact";

/** `children`: its rows. */
export function Sheet({ label, columns, children }: { label: string; columns: string[]; children: ComponentChildren }): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
