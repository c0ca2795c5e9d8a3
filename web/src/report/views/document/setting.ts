// What a reader has chosen to see of a document, as the address says it.

import { decoded, type Route } from "../../../shared/router";
import type { Report } from "../../data/report";

export interface DocumentSetting {
  /** The systems shown, in the order chosen. */
  readonly systems: readonly number[];
  readonly references: readonly number[];
  /** The layer of highlights; null for none. */
  readonly layer: number | null;
  readonly difference: boolean;
  /** The system whose evidence is shown on source and reference. */
  readonly explained: number;
  readonly metric: number;
  readonly segment: number | null;
}

const AT_FIRST = 2;

export function documentSetting(report: Report, route: Route, document: number): DocumentSetting {
  const { settings } = route;
  const metric = report.metricNamed(settings.get("metric"));
  const systems = chosenSystems(report, settings.get("systems"), metric, document);
  const named = report.systemNamed(settings.get("explain") ?? "");
  const hidden = settings.get("reference") === "none";
  const segment = settings.get("segment");
  return {
    systems,
    references: hidden ? [] : report.references.map((_, i) => i),
    layer: chosenLayer(report, settings.get("show")),
    difference: settings.get("show") === "difference",
    explained: systems.includes(named) ? named : (systems[0] ?? 0),
    metric,
    segment: segment === null ? null : Number(segment) - 1,
  };
}

function chosenSystems(
  report: Report,
  named: string | null,
  metric: number,
  document: number,
): number[] {
  // Names may hold commas; each was encoded by itself.
  const found = (named ?? "")
    .split(",")
    .map((name) => report.systemNamed(decoded(name)))
    .filter((system) => system >= 0);
  return found.length ? [...new Set(found)] : bestAndWorst(report, metric, document);
}

/** Where nothing was chosen: the best and the worst system of this document. */
function bestAndWorst(report: Report, metric: number, document: number): number[] {
  const order = byScore(report, metric, document);
  return order.length <= AT_FIRST ? order : [order[0] as number, order[order.length - 1] as number];
}

/** The systems, best on this document first. */
export function byScore(report: Report, metric: number, document: number): number[] {
  const sign = report.metrics[metric]!.higher_is_better ? -1 : 1;
  const key = (system: number) => {
    const score = report.documentScore(metric, system, document);
    return Number.isNaN(score) ? Infinity : sign * score;
  };
  return report.overview.systems.map((_, i) => i).sort((one, other) => key(one) - key(other));
}

function chosenLayer(report: Report, show: string | null): number | null {
  if (show === "nothing" || show === "difference") return null;
  const named = report.layers.findIndex((layer) => layer.name === show);
  if (named >= 0) return named;
  return show === null && report.layers.length > 0 ? 0 : null;
}

export function systemsSetting(report: Report, systems: readonly number[]): string {
  return systems.map((i) => encodeURIComponent(report.overview.systems[i]!.name)).join(",");
}
