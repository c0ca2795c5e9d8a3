// What a reader has chosen to compare, as the address says it.

import type { Route } from "../../../shared/router";
import type { Report } from "../../data/report";

export type Mode = "systems" | "metrics" | "people";

export interface SegmentsSetting {
  readonly mode: Mode;
  readonly modes: readonly Mode[];
  /** The metrics that have scores of segments. */
  readonly metrics: readonly number[];
  readonly metric: number;
  /** The other metric, or people; the same as `metric` between systems. */
  readonly second: number;
  readonly one: number;
  readonly other: number;
  /** Only this system's translations, between metrics. */
  readonly only: number | null;
  readonly search: string;
  /** Only of this domain, of this length, or with evidence of this kind; empty for all. */
  readonly domain: string;
  readonly length: Length | "";
  readonly found: string;
}

/** A third of all segments, by the characters of their document. */
export type Length = "short" | "middle" | "long";

export function segmentsSetting(report: Report, route: Route): SegmentsSetting | null {
  const { settings } = route;
  const metrics = report.metrics.flatMap((view, i) => (view.segment_digits === null ? [] : [i]));
  if (metrics.length === 0) return null;
  const named = (key: string, otherwise: number) => {
    const found = metrics.find((i) => report.metrics[i]!.name === settings.get(key));
    return found ?? otherwise;
  };
  const people = metrics.find((i) => report.metrics[i]!.people);
  const several = metrics.length > 1;
  const possible: Mode[] = [
    ...(report.overview.systems.length > 1 ? (["systems"] as const) : []),
    ...(several ? (["metrics"] as const) : []),
    ...(several && people !== undefined ? (["people"] as const) : []),
  ];
  const mode = possible.find((each) => each === settings.get("between")) ?? possible[0];
  if (mode === undefined) return null;
  const metric = named("metric", metrics[0]!);
  const another = metrics.find((i) => i !== metric) ?? metric;
  const ranked = report.metrics[metric]!.places.map((place) => place.system);
  const system = (key: string, otherwise: number) => {
    const found = report.systemNamed(settings.get(key) ?? "");
    return found < 0 ? otherwise : found;
  };
  const only = report.systemNamed(settings.get("only") ?? "");
  return {
    mode,
    modes: possible,
    metrics,
    metric,
    second: mode === "people" ? people! : mode === "metrics" ? named("second", another) : metric,
    one: system("one", ranked[0] ?? 0),
    other: system("other", ranked[1] ?? ranked[0] ?? 0),
    only: only < 0 ? null : only,
    search: settings.get("search") ?? "",
    domain: settings.get("domain") ?? "",
    length: (settings.get("length") ?? "") as Length | "",
    found: settings.get("found") ?? "",
  };
}
