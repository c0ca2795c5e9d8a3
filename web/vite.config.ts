import { defineConfig } from "vitest/config";

// The worker stands beside the page of a campaign, which is built first.
const INPUT: Record<string, string> = { worker: "src/annotate/offline/worker.ts" };

// One script and one style sheet for each page (`--mode report`, `--mode annotate`): a report
// carries both inside its single file, the campaign's server sends them to its annotators.
export default defineConfig(({ mode }) => ({
  build: {
    outDir: `../src/isogloss/${mode === "worker" ? "annotate" : mode}/app`,
    emptyOutDir: mode !== "worker",
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    cssTarget: "chrome123", // knows light-dark()
    rollupOptions: {
      input: INPUT[mode] ?? `src/${mode}/main.tsx`,
      output: {
        format: "iife",
        entryFileNames: `${mode}.js`,
        assetFileNames: `${mode}.[ext]`,
      },
    },
  },
  test: { include: ["tests/**/*.test.ts"] },
}));
