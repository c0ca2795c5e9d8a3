import { describe, expect, it } from "vitest";

import { address, parsed } from "../src/shared/router";

describe("addresses", () => {
  it("come back as they went", () => {
    const made = address("document", "a/b ?&#%", {
      systems: "x,y",
      metric: "chrf(word_order=2)",
      none: null,
    });
    const route = parsed(made);
    expect(route.view).toBe("document");
    expect(route.subject).toBe("a/b ?&#%");
    expect(Object.fromEntries(route.settings)).toEqual({
      systems: "x,y",
      metric: "chrf(word_order=2)",
    });
  });

  it("may be made by hand", () => {
    expect(parsed("").view).toBe("");
    expect(parsed("#/document/100%").subject).toBe("100%");
  });
});
