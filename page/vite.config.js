import { defineConfig } from "vite";
import { words } from "./words.js";

// Relative addresses, so that the page works under any path; nothing inline, so that `default-src 'self'` holds.
const FIRST = /node_modules\/preact|page\/src\/(?!views\/(audit|check|compare|runs?|search|trace|usage)\b|parts\/(comparison|strategy|structure-viewer)|checking|words\/)/;

export default defineConfig({
  base: "./",
  publicDir: "public",
  plugins: [words()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../src/medground/faces/web/built",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What every reader needs is one file: many small ones compress worse.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "page", test: FIRST }] } } },
    license: { fileName: "licences.md" },
    chunkSizeWarningLimit: 600,
    reportCompressedSize: true,
  },
});
