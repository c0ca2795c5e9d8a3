import { describe, expect, it } from "vitest";

import type { EvidenceLayer, LayerPart, Packed } from "../src/generated/report";
import { divergingClass, heatClass, sequentialClass } from "../src/report/colour";
import { sharesBelow } from "../src/report/data/disagreement";
import { type Evidence, evidenceOf } from "../src/report/data/evidence";
import { linkMarks } from "../src/report/data/marks";
import { folded } from "../src/report/data/search";
import { listed, number, pValue, signed } from "../src/report/format";
import { kindOf, tones } from "../src/report/tones";

describe("evidence", () => {
  it("is put together from its columns", () => {
    const layer: EvidenceLayer = {
      name: "m",
      kind: "marks",
      people: false,
      reasons: ["x", "y"],
      digits: 1,
    };
    const part: LayerPart = {
      layer: 0,
      system: " !" as Packed,
      reason: "! " as Packed,
      value: "7 " as Packed,
      spans: "#!" as Packed,
      side: "$ $" as Packed,
      segment: "  $" as Packed,
      start: "$$#" as Packed,
      length: "$!!" as Packed,
    };
    const [first, second] = evidenceOf(part, layer);
    expect(first).toMatchObject({ id: 0, system: 0, reason: 1, value: -1.1 });
    expect(first?.places).toHaveLength(2);
    const [one, two] = first!.places;
    expect(two!.start).toBe(one!.end + unsignedToSigned("$"));
    expect(second).toMatchObject({ system: 1, reason: 0, value: NaN });
    expect(second?.places[0]?.segment).not.toBe(one!.segment);
  });
});

/** What one packed character means as a signed number. */
function unsignedToSigned(character: string): number {
  const number = " !#$%".indexOf(character);
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

describe("links", () => {
  it("join a source word with its counterparts in every system shown", () => {
    const link = (id: number, system: number, start: number): Evidence => ({
      id,
      system,
      reason: 0,
      value: NaN,
      places: [
        { side: 0, segment: 0, start, end: start + 3 },
        { side: 1 + system, segment: 0, start: 0, end: 4 },
      ],
    });
    const marks = linkMarks([link(0, 0, 0), link(1, 1, 0), link(2, 1, 5), link(3, 2, 0)], [0, 1]);
    expect(marks.at(0, 0).map((mark) => mark.group)).toEqual([0, 1]);
    expect(marks.at(1, 0).map((mark) => mark.group)).toEqual([0]);
    expect(marks.at(2, 0).map((mark) => mark.group)).toEqual([0, 1]);
    expect(marks.at(3, 0)).toEqual([]);
  });
});

describe("ranks", () => {
  it("say which share is worse, ties in the middle", () => {
    const scores = Float64Array.from([3, 1, 1, 2, NaN]);
    expect([...sharesBelow(scores, [0, 1, 2, 3], true)]).toEqual([1, 0.5 / 3, 0.5 / 3, 2 / 3]);
    expect([...sharesBelow(scores, [0, 1], false)]).toEqual([0, 1]);
  });
});

describe("tones", () => {
  it("know good from bad", () => {
    const found = tones([
      "consistent",
      "inconsistent",
      "allowed by the reference",
      "partly matched",
      "false",
      "gender",
    ]);
    expect([...found.values()]).toEqual(["good", "bad", "allowed", "half", "bad", "plain0"]);
  });

  it("do not judge what a reference merely lacks", () => {
    const found = tones(["matched chain", "chain not in the reference", "chain not in the output"]);
    expect([...found.values()]).toEqual(["good", "beyond", "missed"]);
    expect([...tones(["not in the reference", "not in the output"]).values()]).toEqual([
      "beyond",
      "missed",
    ]);
  });

  it("belong to kinds", () => {
    expect(kindOf("major: accuracy/omission")).toBe("major");
    expect(tones(["minor: a", "minor: b"]).size).toBe(1);
  });
});

describe("numbers", () => {
  it("are written with care", () => {
    expect(number(-1.25, 2)).toBe("−1.25");
    expect(number(NaN, 2)).toBe("–");
    expect(signed(0.5, 1)).toBe("+0.5");
    expect(pValue(0.0004)).toBe("p < 0.001");
    expect(listed(["a", "b", "c", "d"], 3)).toBe("a, b and 2 more");
  });

  it("have colours, and none where they are absent", () => {
    expect(divergingClass(-9, 3)).toBe("d-5");
    expect(divergingClass(0, 0)).toBe("d0");
    expect(sequentialClass(10, 0, 10)).toBe("q9");
    expect(heatClass(-40)).toBe("h7");
    expect(heatClass(0)).toBe("h0");
    expect(divergingClass(NaN, 1)).toBe("none");
  });
});

describe("searching", () => {
  it("does not mind case and accents", () => {
    expect(folded("ŽLUŤOUČKÝ")).toBe("zlutoucky");
  });
});
