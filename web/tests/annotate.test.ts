import { describe, expect, it } from "vitest";

import type { TaskView } from "../src/generated/annotate";
import { joined } from "../src/annotate/phases/marks";
import { Typed } from "../src/annotate/phases/percent";
import { lanesOf } from "../src/annotate/phases/shared_scale";
import { onScale } from "../src/annotate/input/number_field";
import { isFlexible, withPlace } from "../src/annotate/phases/verdicts";
import { beginning, ending, excerpt } from "../src/annotate/task/excerpt";
import { piecesOf } from "../src/annotate/task/passage";
import { joinedScreen } from "../src/annotate/task/joining";
import { lettersOf, type Row, screensOf } from "../src/annotate/task/screens";
import { firstGap } from "../src/annotate/task/values";

const task = (parts: Partial<TaskView>): TaskView => ({
  id: "t",
  kind: "da",
  document: "d",
  source: ["one", "two"],
  source_language: null,
  target_language: null,
  reference: null,
  slots: ["A", "B"],
  outputs: { A: ["eins", "zwei"], B: ["ein", null] },
  items: [],
  shown: [],
  markable: null,
  aligned: {},
  chains: [],
  pairs: [],
  prefilled: {},
  severities: [],
  categories: [],
  scale: [],
  answers: {},
  ...parts,
});

describe("screens", () => {
  it("hold all translations of a segment; a text of its own stands alone", () => {
    const items = ["seg:0/A", "seg:0/B", "seg:1/A", "seg:1/A~0", "seg:1/A~1"];
    const shown = [{ item: "seg:1/A~0", segment: 1, slot: "A", text: "spoilt" }];
    const screens = screensOf(task({ items, shown }));
    expect(screens.map((screen) => screen.rows.map((row) => row.text))).toEqual([
      ["eins", "ein"],
      ["zwei"],
      ["spoilt"],
      ["zwei"],
    ]);
  });

  it("follow a markable to its segments", () => {
    const occurrences = [1, 0].map((segment) => ({ segment, start: 0, end: 3 }));
    const markable = { head: "x", occurrences };
    const items = ["occ:0/A", "occ:0/B", "occ:1/A"];
    const screens = screensOf(task({ kind: "phase2", markable, items }));
    expect(screens.map((screen) => screen.segment)).toEqual([1, 0]);
    expect(screens[0]?.rows.map((row) => row.text)).toEqual(["zwei", null]);
  });
});

describe("translations with the same words", () => {
  const outputs = { A: ["gut"], B: ["schön"], C: ["gut"], D: [null], E: [null] };
  const items = ["A", "B", "C", "D", "E"].map((slot) => `seg:0/${slot}`);
  const [screen] = screensOf(task({ kind: "contrastive", outputs, items }));
  const letters = (apart: Set<string>, same: (one: Row, other: Row) => boolean) =>
    screen && joinedScreen(screen, apart, same).rows.map(lettersOf);

  it("are one row; what is missing in several is no translation", () => {
    expect(letters(new Set(), () => true)).toEqual(["A, C", "B", "D", "E"]);
  });

  it("stay apart where somebody parted them, or answered them unlike", () => {
    expect(letters(new Set(["seg:0/A"]), () => true)).toEqual(["A", "B", "C", "D", "E"]);
    const apart = new Set<string>();
    expect(letters(apart, () => false)).toEqual(["A", "B", "C", "D", "E"]);
    expect(letters(apart, () => true)).toEqual(["A", "B", "C", "D", "E"]);
  });

  it("come again together as a check", () => {
    const items = ["seg:0/A", "seg:0/B", "seg:0/A~0", "seg:0/B~0", "seg:0/A~1", "seg:0/B~1"];
    const screens = screensOf(task({ kind: "contrastive", outputs, items }));
    expect(screens.map((each) => each.rows.length)).toEqual([2, 2, 2]);
  });
});

describe("letters on one scale", () => {
  it("do not hide each other", () => {
    const pins = [50, 52, 10, 54].map((score) => ({ score, width: 7 }));
    const lanes = lanesOf(pins).map(({ score, lane }) => [score, lane]);
    expect(lanes).toEqual([
      [10, 0],
      [50, 0],
      [52, 1],
      [54, 2],
    ]);
  });
});

describe("gaps", () => {
  const line = { adequacy: 0, fluency: null, conflicting: false, reported: [], note: "" };
  const occurrence = { no_error: false, phenomena: {}, target: null, same_as: null };
  it("are what was not said: 0 is an answer, nothing is not", () => {
    expect(firstGap("phase1", null)).toBe(0);
    expect(firstGap("da", { score: 0 })).toBeNull();
    expect(firstGap("da", { score: null })).toBe(0);
    expect(firstGap("phase1", line)).toBe(1);
    expect(firstGap("phase1", { ...line, fluency: 0 })).toBeNull();
    expect(firstGap("phase2", occurrence)).toBe(0);
    expect(firstGap("phase2", { ...occurrence, phenomena: { style: null } })).toBe(0);
    expect(firstGap("phase2", { ...occurrence, phenomena: { style: 0 } })).toBeNull();
    expect(firstGap("consistency", { same: null, unsure: true, flexible: [] })).toBeNull();
  });
});

describe("words that stand for a markable", () => {
  it("are joined where they touch", () => {
    const place = (start: number, end: number) => ({ start, end });
    expect(joined([place(8, 9), place(0, 3)], place(3, 5))).toEqual([place(0, 5), place(8, 9)]);
  });
});

describe("typed scores", () => {
  it("are tens, then ones", () => {
    const typed = new Typed();
    expect(typed.score("a", 7, 0)).toBe(70);
    expect(typed.score("a", 5, 500)).toBe(75);
    expect(typed.score("a", 3, 900)).toBe(30);
    expect(typed.score("b", 4, 1000)).toBe(40);
    expect(typed.score("b", 4, 9000)).toBe(40);
  });
});

describe("long texts", () => {
  it("are cut into pieces that are the whole text, never inside a code point", () => {
    for (const text of ["😀".repeat(5000), "word ".repeat(3000), "x".repeat(7001)]) {
      const pieces = piecesOf(text);
      expect(pieces.length).toBeGreaterThan(2);
      expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      expect(pieces.at(-1)?.end).toBe([...text].length);
    }
  });

  it("are shown around what matters", () => {
    const text = `${"😀 before ".repeat(50)}HERE${" after".repeat(50)}`;
    const start = [..."😀 before ".repeat(50)].length;
    const mark = { start, end: start + 4, look: "markable" };
    const part = excerpt(text, [mark], "markable");
    const [moved] = part.marks;
    expect([...part.text].slice(moved?.start, moved?.end).join("")).toBe("HERE");
    expect([...part.text].length).toBeLessThan(260);
    expect(excerpt("short HERE", [], "markable").text).toBe("short HERE");
  });

  it("end and begin at whole code points", () => {
    const text = `a${"😀".repeat(900)}`;
    expect([...ending(text)].every((point) => point.length === 2 || point < "\ud800")).toBe(true);
    expect(beginning(text).startsWith("a😀")).toBe(true);
  });
});

describe("repeated words", () => {
  const free = { same: false, unsure: false, flexible: [] };
  it("may differ at all places where none is named", () => {
    expect([0, 1, 2].map((place) => isFlexible(free, place))).toEqual([true, true, true]);
    expect(isFlexible({ ...free, flexible: [1] }, 0)).toBe(false);
    expect(isFlexible(null, 0)).toBe(false);
  });

  it("take places one by one", () => {
    const one = withPlace(null, 1, 3);
    expect(one).toEqual({ same: false, unsure: false, flexible: [1] });
    expect(withPlace(one, 0, 3).flexible).toEqual([0, 1]);
    expect(withPlace(withPlace(one, 0, 3), 2, 3)).toEqual(free);
    expect(withPlace(free, 2, 3).flexible).toEqual([0, 1]);
    expect(withPlace(one, 1, 3)).toEqual({ same: true, unsure: false, flexible: [] });
  });
});

describe("typed numbers", () => {
  it("lie on the scale or are none", () => {
    const typed = ["0", "0.85", "1", "1.1", "-1", "", " ", "x"];
    expect(typed.map((text) => onScale(text, 1))).toEqual([
      0,
      0.85,
      1,
      ...[null, null, null, null, null],
    ]);
  });
});
