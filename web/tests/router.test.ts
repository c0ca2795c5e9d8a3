import { describe, expect, it } from "vitest";

import { address, parsed, settle } from "../src/shared/router";

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

  it("stay within one of several test sets", () => {
    settle(2);
    const made = address("document", "@1/a");
    settle(null);
    expect(made).toBe("#/@2/document/%401%2Fa");
    expect(parsed(made)).toMatchObject({ set: 2, view: "document", subject: "@1/a" });
    expect(parsed(address("document", "@1/a"))).toMatchObject({ set: null, subject: "@1/a" });
    expect(parsed("#/@3")).toMatchObject({ set: 3, view: "" });
  });

  it("may be made by hand", () => {
    expect(parsed("").view).toBe("");
    expect(parsed("#/document/100%").subject).toBe("100%");
  });
});
