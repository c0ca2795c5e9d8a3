import { describe, expect, it } from "vitest";

import { Offsets } from "../src/shared/codepoints";
import { type Mark, runs } from "../src/shared/runs";
import { common, difference, words } from "../src/shared/words";

describe("what several texts share", () => {
  it("is the same words in the same order in each of them", () => {
    const texts = ["The tenant 😀 pays rent.", "Today the tenant 😀 pays.", "A tenant 😀 who pays"];
    const shared = common(texts).map((marks, i) =>
      marks.map(({ start, end }) => [...(texts[i] ?? "")].slice(start, end).join("")),
    );
    expect(shared.map((each) => each.join(" "))).toEqual(Array(3).fill("tenant 😀 pays"));
    expect(common(["a b", "c d"])).toEqual([[], []]);
  });
});

describe("offsets", () => {
  it("count code points, as Python does", () => {
    const offsets = new Offsets("a𝒳b😀c");
    expect([0, 1, 2, 3, 4, 5, 9].map((point) => offsets.unit(point))).toEqual([
      0, 1, 3, 4, 6, 7, 7,
    ]);
    expect([0, 1, 3, 4, 6, 7].map((unit) => offsets.point(unit))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("agree with units where nothing is astral", () => {
    const offsets = new Offsets("šest");
    expect(offsets.unit(3)).toBe(3);
    expect(offsets.unit(99)).toBe(4);
  });
});

describe("runs", () => {
  const mark = (start: number, end: number, name: string): Mark & { name: string } => ({
    start,
    end,
    name,
  });
  const shown = (text: string, marks: ReturnType<typeof mark>[]) =>
    runs(text, marks).map((run) => [run.text, run.marks.map((each) => each.name).join("")]);

  it("are the whole text", () => {
    expect(shown("plain", [])).toEqual([["plain", ""]]);
    expect(shown("", [])).toEqual([]);
  });

  it("show overlapping marks, the longer one outside", () => {
    expect(shown("abcdef", [mark(2, 4, "y"), mark(1, 5, "x"), mark(3, 6, "z")])).toEqual([
      ["a", ""],
      ["b", "x"],
      ["c", "xy"],
      ["d", "xyz"],
      ["e", "xz"],
      ["f", "z"],
    ]);
  });

  it("show gaps, which are empty, where they have a word to show", () => {
    const gap = (place: number) => ({ start: place, end: place, name: "g", gap: "omitted" });
    expect(shown("ab", [gap(1), mark(0, 2, "x"), mark(1, 1, "y")])).toEqual([
      ["a", "x"],
      ["", "g"],
      ["b", "x"],
    ]);
    expect(shown("ab", [gap(2)])).toEqual([
      ["ab", ""],
      ["", "g"],
    ]);
    expect(shown("", [gap(0)])).toEqual([["", "g"]]);
  });

  it("cut at code points", () => {
    expect(shown("😀😀b", [mark(1, 2, "x")])).toEqual([
      ["😀", ""],
      ["😀", "x"],
      ["b", ""],
    ]);
  });

  it("leave out marks that are empty or outside", () => {
    expect(shown("ab", [mark(1, 1, "x"), mark(5, 9, "y")])).toEqual([["ab", ""]]);
  });
});

describe("words", () => {
  it("know scripts without spaces", () => {
    expect(words("增加班次。").join("")).toBe("增加班次。");
    expect(words("增加班次。").length).toBeGreaterThan(1);
  });

  it("differ where they differ, in code points", () => {
    const [one, other] = difference("the 😀 old cat", "the 😀 new cat");
    expect(one).toEqual([{ start: 6, end: 9 }]);
    expect(other).toEqual([{ start: 6, end: 9 }]);
    expect(difference("a  b", "a b")).toEqual([[], []]);
    expect(difference("old cat", "cat")).toEqual([[{ start: 0, end: 3 }], []]);
    expect(difference("same", "same")).toEqual([[], []]);
  });
});
