import { defineConfig } from "vite";
import { words } from "./words.js";

// Relative addresses, so that the page works under any path; nothing inline, so that `default-src 'self'` holds.
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
    license: { fileName: "licences.md" },
    chunkSizeWarningLimit: 600,
    reportCompressedSize: true,
  },
});
