// Documents x systems under one metric: what is usual, what stands out, in which order.

import { max, mean, median, min } from "d3-array";

import type { Report } from "./report";

export interface Row {
  readonly document: number;
  readonly scores: readonly number[];
  /** Mean over the systems that have a score; NaN where none has. */
  readonly mean: number;
  readonly spread: number;
  /** For each system, how far its score lies from what document and system lead one to expect. */
  readonly surprise: readonly number[];
}

export interface Matrix {
  readonly rows: readonly Row[];
  readonly low: number;
  readonly high: number;
  /** The size of a surprise beyond which a score is an outlier. */
  readonly outlying: number;
}

const FAR = 3.5; // in robust standard deviations
const TO_DEVIATION = 1.4826; // median absolute deviation to standard deviation, if normal

export function matrixOf(report: Report, metric: number): Matrix {
  const systems = report.overview.systems.map((_, i) => i);
  const scores = report.overview.documents.ids.map((_, document) =>
    systems.map((system) => report.documentScore(metric, system, document)),
  );
  const means = scores.map(meanOf);
  const grand = meanOf(means);
  const usual = systems.map((system) => {
    const gaps = scores.map((row, document) => row[system]! - means[document]!);
    return meanOf(gaps);
  });
  const surprises = scores.map((row, document) =>
    row.map((score, system) => score - means[document]! - usual[system]!),
  );
  const known = surprises.flat().filter((value) => !Number.isNaN(value));
  const deviation = TO_DEVIATION * (median(known.map(Math.abs)) ?? 0);
  const all = scores.flat().filter((value) => !Number.isNaN(value));
  return {
    rows: scores.map((row, document) => ({
      document,
      scores: row,
      mean: means[document]!,
      spread: (max(row.filter(isKnown)) ?? NaN) - (min(row.filter(isKnown)) ?? NaN),
      surprise: surprises[document]!,
    })),
    low: min(all) ?? grand,
    high: max(all) ?? grand,
    outlying: deviation > 0 ? FAR * deviation : Infinity,
  };
}

function isKnown(value: number): boolean {
  return !Number.isNaN(value);
}

function meanOf(values: readonly number[]): number {
  return mean(values.filter(isKnown)) ?? NaN;
}

export type Order = "file" | "id" | "length" | "mean" | "spread" | { readonly system: number };

/** Rows in an order; scores worst first, because that is where one wants to look. */
export function sorted(
  report: Report,
  rows: readonly Row[],
  order: Order,
  higherIsBetter: boolean,
): Row[] {
  const { ids, characters } = report.overview.documents;
  const worst = (value: number) =>
    Number.isNaN(value) ? Infinity : higherIsBetter ? value : -value;
  const by = (key: (row: Row) => number) => [...rows].sort((a, b) => key(a) - key(b));
  switch (order) {
    case "file":
      return [...rows];
    case "id":
      return [...rows].sort((a, b) =>
        ids[a.document]!.localeCompare(ids[b.document]!, "en", { numeric: true }),
      );
    case "length":
      return by((row) => -characters[row.document]!);
    case "mean":
      return by((row) => worst(row.mean));
    case "spread":
      return by((row) => (Number.isNaN(row.spread) ? Infinity : -row.spread));
    default:
      return by((row) => worst(row.scores[order.system]!));
  }
}

export function isOutlier(matrix: Matrix, row: Row, system: number): boolean {
  return Math.abs(row.surprise[system]!) > matrix.outlying;
}
