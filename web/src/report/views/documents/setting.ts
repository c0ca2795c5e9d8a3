// What a reader has chosen to see of the documents, as the address says it.

import type { Route } from "../../../shared/router";
import type { Order } from "../../data/matrix";
import type { Report } from "../../data/report";

/** What the colour of a cell says. */
export type Colour = "usual" | "document" | "score";

export const COLOURS = [
  { value: "usual", name: "what this document and system lead one to expect" },
  { value: "document", name: "the mean of the systems on this document" },
  { value: "score", name: "the whole range of scores" },
] as const;

export interface DocumentsSetting {
  readonly metric: number;
  readonly colour: Colour;
  readonly domain: string;
  readonly search: string;
  readonly sort: string;
  readonly outliersOnly: boolean;
}

export function documentsSetting(report: Report, route: Route): DocumentsSetting {
  const { settings } = route;
  return {
    metric: report.metricNamed(settings.get("metric")),
    colour: (settings.get("colour") as Colour | null) ?? "document",
    domain: settings.get("domain") ?? "",
    search: settings.get("search") ?? "",
    sort: settings.get("sort") ?? "file",
    outliersOnly: settings.get("outliers") === "only",
  };
}

/** The order of the rows; a system's name sorts by that system. */
export function orderOf(report: Report, setting: DocumentsSetting): Order {
  const plain = ["file", "id", "length", "mean", "spread"] as const;
  const known = plain.find((name) => name === setting.sort);
  if (known) return known;
  const system = report.systemNamed(setting.sort);
  return system < 0 ? "file" : { system };
}
