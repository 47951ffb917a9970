// The studies by year and design. The table under it says the same in words.
import type { JSX } from "preact";
import { named } from "./sorting";
import { type Row, STANCES } from "./types";
import { t } from "../../words";

const LEFT = 190;
const STEP = 34;
const WIDTH = 760;
const TOP = 14;

/** A sign for each study: the year across, the design down, the strongest first. */
export function Plot({ rows }: { rows: Row[] }): JSX.Element | null {
  const dated = rows.filter((row) => row.year !== null);
  if (!dated.length) return null;
  const designs = [...new Map(rows.map((row) => [named(row), row.level])).entries()].sort((one, other) => one[1] - other[1]).map(([name]) => name);
  const years = dated.map((row) => row.year ?? 0);
  const [first, last] = [Math.min(...years), Math.max(...years)];
  const x = (year: number): number => (first === last ? (LEFT + WIDTH) / 2 : LEFT + 24 + ((year - first) / (last - first)) * (WIDTH - LEFT - 60));
  const height = TOP + designs.length * STEP + 30;
  const at = new Map<string, number>();
  const signs = dated.map((row) => {
    const place = `${row.year}/${named(row)}`;
    const before = at.get(place) ?? 0;
    at.set(place, before + 1);
    return { row, x: x(row.year ?? 0) + before * 13, y: TOP + designs.indexOf(named(row)) * STEP + STEP / 2 };
  });
  const undated = rows.length - dated.length;
  return (
    <figure class="plot" data-testid="plot">
      <div class="scroll" role="region" aria-label="Plot of the studies" tabIndex={0}>
        <svg viewBox={`0 0 ${WIDTH} ${height}`} width={WIDTH} height={height} role="img" aria-label={words(rows, first, last)}>
          {designs.map((design, number) => (
            <g key={design}>
              <line x1={LEFT} x2={WIDTH - 10} y1={TOP + number * STEP + STEP / 2} y2={TOP + number * STEP + STEP / 2} class="axis" />
              <text x={LEFT - 12} y={TOP + number * STEP + STEP / 2 + 4} text-anchor="end">
                {design.length > 27 ? `${design.slice(0, 26)}…` : design}
              </text>
            </g>
          ))}
          {ticks(first, last).map((year) => (
            <text key={year} x={x(year)} y={height - 8} text-anchor="middle" class="quiet">
              {year}
            </text>
          ))}
          {signs.map(({ row, x: left, y }) => (
            <text key={row.document_id} x={left} y={y + 6} text-anchor="middle" class={`sign ${row.aside ? "aside" : row.stance}`}>
              {row.aside ? "✕" : STANCES[row.stance].sign}
              <title>{`${row.title} (${row.year}, ${named(row)}): ${row.aside || STANCES[row.stance].words}`}</title>
            </text>
          ))}
        </svg>
      </div>
      <figcaption class="dim">
        {Object.values(STANCES)
          .map((one) => `${one.sign} ${one.words}`)
          .join(" · ")}{" "}
        · ✕ retracted or set aside. {undated > 0 && `${t`Not drawn, for want of a year: ${undated}.`} `}The table below holds the same.
      </figcaption>
    </figure>
  );
}

/** At most six years, whole ones. */
function ticks(first: number, last: number): number[] {
  const step = Math.max(1, Math.ceil((last - first) / 5));
  const found = [];
  for (let year = first; year <= last; year += step) found.push(year);
  return found;
}

function words(rows: Row[], first: number, last: number): string {
  const count = new Map<string, number>();
  for (const row of rows) count.set(named(row), (count.get(named(row)) ?? 0) + 1);
  const told = [...count].map(([design, number]) => `${number} ${design}`).join(", ");
  return t`${rows.length} studies from ${first} to ${last}: ${told}`;
}
