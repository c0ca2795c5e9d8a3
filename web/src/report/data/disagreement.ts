// Where two opinions on the same segment differ most: two systems, two metrics, metric and people.

import type { Report } from "./report";

/** One translated segment, or one segment in two translations. */
export interface Case {
  /** The position among all segments of the test set. */
  readonly segment: number;
  readonly system: number;
  readonly one: number;
  readonly other: number;
  /** The shares of all translations that each opinion puts below this one, between metrics. */
  readonly below: readonly [number, number] | null;
  /** By how much they differ; the list is sorted by its size. */
  readonly gap: number;
}

/** Segments on which two systems' scores differ, largest difference first. */
export function betweenSystems(
  report: Report,
  scores: Float64Array,
  one: number,
  other: number,
  higherIsBetter: boolean,
): Case[] {
  const count = report.segmentCount;
  const sign = higherIsBetter ? 1 : -1;
  const cases: Case[] = [];
  for (let segment = 0; segment < count; segment++) {
    const [a, b] = [scores[one * count + segment]!, scores[other * count + segment]!];
    if (!Number.isNaN(a) && !Number.isNaN(b)) {
      cases.push({ segment, system: one, one: a, other: b, below: null, gap: sign * (a - b) });
    }
  }
  return largestFirst(cases);
}

/**
 * Translated segments that two metrics place differently. Scales differ, so places are compared:
 * the share of all translated segments that a metric puts below this one. Of each segment, only
 * the translation that divides them most is listed.
 */
export function betweenMetrics(
  report: Report,
  one: Float64Array,
  other: Float64Array,
  higherIsBetter: readonly [boolean, boolean],
  system: number | null,
): Case[] {
  const both = jointlyScored(one, other);
  const first = sharesBelow(one, both, higherIsBetter[0]);
  const second = sharesBelow(other, both, higherIsBetter[1]);
  const cases = both.map((at, i): Case => ({
    segment: at % report.segmentCount,
    system: Math.floor(at / report.segmentCount),
    one: one[at]!,
    other: other[at]!,
    below: [first[i]!, second[i]!],
    gap: first[i]! - second[i]!,
  }));
  const wanted = system === null ? cases : cases.filter((each) => each.system === system);
  return onePerSegment(largestFirst(wanted));
}

function onePerSegment(cases: readonly Case[]): Case[] {
  const seen = new Set<number>();
  return cases.filter(({ segment }) => !seen.has(segment) && seen.add(segment));
}

function jointlyScored(one: Float64Array, other: Float64Array): number[] {
  const both: number[] = [];
  for (let i = 0; i < Math.min(one.length, other.length); i++) {
    if (!Number.isNaN(one[i]!) && !Number.isNaN(other[i]!)) both.push(i);
  }
  return both;
}

/** For each item the share of items that are worse; equal scores share the middle. */
export function sharesBelow(
  scores: Float64Array,
  items: readonly number[],
  higherIsBetter: boolean,
): Float64Array {
  const sign = higherIsBetter ? 1 : -1;
  const value = (i: number) => sign * scores[items[i]!]!;
  const order = Uint32Array.from(items, (_, i) => i).sort((a, b) => value(a) - value(b));
  const shares = new Float64Array(items.length);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && value(order[end]!) === value(order[start]!)) end++;
    for (let i = start; i < end; i++)
      shares[order[i]!] = (start + end - 1) / 2 / Math.max(1, order.length - 1);
    start = end;
  }
  return shares;
}

function largestFirst(cases: Case[]): Case[] {
  return cases.sort((a, b) => Math.abs(b.gap) - Math.abs(a.gap) || a.segment - b.segment);
}

/** The document of a segment, and its number there. */
export function placeOf(report: Report, segment: number): { document: number; within: number } {
  let low = 0;
  let high = report.firstSegment.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (report.firstSegment[middle]! <= segment) low = middle;
    else high = middle - 1;
  }
  return { document: low, within: segment - report.firstSegment[low]! };
}
