// Which two systems, under which metric, as the address says it.

import { address, type Route } from "../../../shared/router";
import type { Report } from "../../data/report";

export interface ExplainSetting {
  readonly one: number;
  readonly other: number;
  readonly metric: number;
  /** The table that a clause led to. */
  readonly table: string | null;
}

/** What a campaign alone comes to has no metrics whose differences could be taken apart. */
export function explains(report: Report): boolean {
  const { campaign, explained, systems } = report.overview;
  return systems.length > 1 && (campaign === null || explained.length > 0);
}

/** The address at which two systems are explained. */
export function explainAddress(
  report: Report,
  one: number,
  other: number,
  metric: number | null = null,
): string {
  const name = (system: number) => report.overview.systems[system]!.name;
  return address("explain", null, {
    one: name(one),
    other: name(other),
    metric: metric === null ? null : report.metrics[metric]!.name,
  });
}

/** The best two by default; the first metric that was taken apart. */
export function explainSetting(report: Report, route: Route): ExplainSetting {
  const { settings } = route;
  const { order } = report.overview.verdict;
  const named = (key: string, otherwise: number) => {
    const found = report.systemNamed(settings.get(key) ?? "");
    return found < 0 ? otherwise : found;
  };
  const one = named("one", order[0] ?? 0);
  const next = order.find((system) => system !== one) ?? one;
  return {
    one,
    other: named("other", next),
    metric: report.metricNamed(settings.get("metric")),
    table: settings.get("table"),
  };
}
