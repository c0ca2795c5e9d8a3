import { describe, expect, it } from "vitest";

import type { Packed } from "../src/generated/report";
import { unpacked, unpackedScores, unpackedSigned } from "../src/shared/packing";

// The same texts stand in tests/report/test_packing.py: both sides must understand them alike.
describe("packed numbers", () => {
  it("are read as Python wrote them", () => {
    const text = " !NO!P!}NOO!zZP!" as Packed;
    expect(unpacked(text)).toEqual([0, 1, 45, 46, 47, 2115, 2116, 100000]);
  });

  it("can have a sign", () => {
    expect(unpackedSigned(" !#$%_%" as Packed)).toEqual([0, -1, 1, -2, 2, -100]);
  });

  it("can have decimals, or be absent", () => {
    expect([...unpackedScores(" !5oV! " as Packed, 2)]).toEqual([NaN, 0, -0.1, 12.34, NaN]);
  });
});
