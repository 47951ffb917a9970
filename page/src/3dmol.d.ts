/** What the page uses of 3Dmol.js. */
declare module "3dmol/build/3Dmol.es6-min.js" {
  interface Viewer {
    addModel(content: string, form: string): unknown;
    selectedAtoms(selection: object): unknown[];
    setStyle(selection: object, style: object): unknown;
    zoomTo(): unknown;
    render(): unknown;
    clear(): unknown;
    /** What draws it again when its box changes. */
    divwatcher?: ResizeObserver;
    intwatcher?: IntersectionObserver;
  }
  export function createViewer(box: HTMLElement, options: object): Viewer | undefined;
}
