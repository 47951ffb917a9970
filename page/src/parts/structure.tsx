// A protein structure in 3D. The viewer is loaded only when it is asked for.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { fetchFile } from "../api";
import type { Problem } from "../types";
import { ProblemBox, problemOf } from "./problem";
import { answerPath } from "./studies/types";
import { t } from "../words";

interface Props {
  answer: string;
  name: string;
  title: string;
}

/** The forms of a structure that the viewer reads, by the end of a file's name. */
export function formOf(name: string): "pdb" | "cif" | "" {
  if (/\.(pdb|ent)$/i.test(name)) return "pdb";
  return /\.(cif|mmcif)$/i.test(name) ? "cif" : "";
}

export function Structure({ answer, name, title }: Props): JSX.Element {
  const [shown, setShown] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [ready, setReady] = useState(false);
  const place = useRef<HTMLDivElement>(null);

  // Before the box leaves the page, so that the viewer is not drawn at no size.
  useLayoutEffect(() => {
    const box = place.current;
    if (!shown || !box) return;
    let gone = false;
    let end = (): void => undefined;
    const draw = async (): Promise<void> => {
      const [viewer, file] = await Promise.all([import("./structure-viewer"), fetchFile("GET", answerPath(answer, `files/${encodeURIComponent(name)}`))]);
      const content = await file.text();
      if (gone) return;
      end = viewer.drawn(box, content, formOf(name) || "pdb");
      setReady(true);
    };
    draw().catch((error: unknown) => gone || setProblem(problemOf(error)));
    return () => {
      gone = true;
      end();
      setReady(false);
    };
  }, [shown, answer, name]);

  return (
    <div class="structure" data-testid="structure">
      <button type="button" aria-expanded={shown} onClick={() => setShown(!shown)}>
        {shown ? t`Hide the structure` : t`Show in 3D`}
        <span class="unseen"> ({title})</span>
      </button>
      {problem && <ProblemBox problem={problem} />}
      {shown && !problem && (
        <>
          <div ref={place} class="viewer" role="img" aria-label={t`${title}, a model that can be turned with the mouse`} data-ready={ready ? "yes" : "no"} />
          <p class="hint dim" role="status">
            {ready ? t`Drag to rotate, scroll to zoom. Coloured from the first residue (violet) to the last (red).` : t`Loading the viewer`}
          </p>
        </>
      )}
    </div>
  );
}
