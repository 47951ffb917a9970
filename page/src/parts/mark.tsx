import type { JSX } from "preact";
import type { Shape, Style } from "../types";

const PATHS: Record<Shape, JSX.Element> = {
  check: <path d="M3 8.5l3.2 3.2L13 4.8" />,
  half: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" class="filled" />
    </>
  ),
  cross: <path d="M4 4l8 8M12 4l-8 8" />,
  quote: <path d="M3.2 10.8c2-.3 2.8-1.600 2.800-3.600V4.500H3v3.200h2.600M9.800 10.800c2-.3 2.800-1.600 2.800-3.600V4.500h-3v3.200h2.600" />,
  wave: <path d="M2.500 6.500c2-2 3.500-2 5.500 0s3.500 2 5.500 0M2.500 11c2-2 3.500-2 5.500 0s3.500 2 5.500 0" />,
  gap: (
    <>
      <circle cx="8" cy="8" r="5" />
      <path d="M3.500 12.500l9-9" />
    </>
  ),
  ring: <circle cx="8" cy="8" r="5.200" />,
  alert: <path d="M8 2.500L14 13.200H2zM8 6.500v3.200M8 11.300v.6" />,
  dot: <circle cx="8" cy="8" r="2.600" class="filled" />,
};

/** The shape of a verdict. The words beside it say the same, so readers of the screen need only those. */
export function Mark({ shape, style }: { shape: Shape; style: Style }): JSX.Element {
  return (
    <svg class={`mark ${style}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" data-shape={shape}>
      {PATHS[shape]}
    </svg>
  );
}
