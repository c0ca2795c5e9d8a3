import { expect, test } from "vitest";

import { number, signed } from "../src/report/format";

test("numbers have a true minus, and none before a 0", () => {
  expect(number(-1.256, 2)).toBe("−1.26");
  expect(number(-0.001, 2)).toBe("0.00");
  expect(signed(-0.001, 2)).toBe("0.00");
  expect(signed(2.5, 1)).toBe("+2.5");
  expect(number(null, 2)).toBe("–");
});
