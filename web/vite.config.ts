import { defineConfig } from "vitest/config";

// One script and one style sheet for each page (`--mode report`, `--mode annotate`): a report
// carries both inside its single file, the campaign's server sends them to its annotators.
export default defineConfig(({ mode }) => ({
  build: {
    outDir: `../src/isogloss/${mode}/app`,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    cssTarget: "chrome123", // knows light-dark()
    rollupOptions: {
      input: `src/${mode}/main.tsx`,
      output: {
        format: "iife",
        entryFileNames: `${mode}.js`,
        assetFileNames: `${mode}.[ext]`,
      },
    },
  },
  test: { include: ["tests/**/*.test.ts"] },
}));
