import { describe, expect, it } from "vitest";

import { csv, fileName, latex } from "../src/report/export";

const TABLE = {
  headings: ["system", "bleu ↑", "#", "ter"],
  rows: [
    ["a_b & c", "31.20", "", "−3"],
    ["=1+1", "30.00", "", "4,5"],
  ],
  best: new Set(["0 1"]),
  notes: ["one\nline"],
};

describe("tables to take away", () => {
  it("are LaTeX with the best bold and no empty column", () => {
    const text = latex(TABLE);
    expect(text).toContain("\\begin{tabular}{lrr}");
    expect(text).toContain("system & bleu $\\uparrow$ & ter \\\\");
    expect(text).toContain("a\\_b \\& c & \\textbf{31.20} & $-$3 \\\\");
    expect(text).toContain("% one line");
  });

  it("are CSV that a spreadsheet shows and never runs", () => {
    expect(csv(TABLE).split("\n")[1]).toBe("a_b & c,31.20,,-3");
    expect(csv(TABLE).split("\n")[2]).toBe('\'=1+1,30.00,,"4,5"');
  });

  it("have names that any file system takes", () => {
    expect(fileName("wmt 23/en-de", "chrf(word_order=2)")).toBe("wmt_23_en-de-chrf_word_order_2_");
  });
});
