// 3Dmol.js, in a chunk of its own. Nothing here makes code out of text, so the page needs no `unsafe-eval`.
import * as mol from "3dmol/build/3Dmol.es6-min.js";
import { t } from "../words";

/** Draw a structure into a box; the result ends it. */
export function drawn(box: HTMLElement, content: string, form: "pdb" | "cif"): () => void {
  const viewer = mol.createViewer(box, { backgroundColor: getComputedStyle(box).backgroundColor, disableFog: true });
  if (!viewer) throw new Error(t`This browser cannot draw in 3D (WebGL is off). You can save the file instead.`);
  viewer.addModel(content, form);
  if (!viewer.selectedAtoms({}).length) throw new Error(t`The file contains no atoms that can be drawn. You can save it instead.`);
  // A ribbon needs the whole backbone; a file with C-alpha atoms alone is drawn as a line through them.
  const ribbon = viewer.selectedAtoms({ atom: "O" }).length > 0;
  viewer.setStyle({}, { cartoon: ribbon ? { color: "spectrum" } : { color: "spectrum", style: "trace" } });
  viewer.setStyle({ hetflag: true }, { stick: {} });
  viewer.zoomTo();
  viewer.render();
  return () => {
    viewer.divwatcher?.disconnect();
    viewer.intwatcher?.disconnect();
    viewer.clear();
    box.replaceChildren();
  };
}
