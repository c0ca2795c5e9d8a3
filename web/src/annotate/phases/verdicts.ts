// What can be said of a repeated word: alike everywhere, free everywhere, or free at some places.

import type { ConsistencyValue } from "../../generated/annotate";

/** Keys, names and values of what is said of all places at once. */
export const VERDICTS: readonly (readonly [string, string, ConsistencyValue])[] = [
  ["y", "Must be translated alike", { same: true, unsure: false, flexible: [] }],
  ["n", "May be translated differently", { same: false, unsure: false, flexible: [] }],
  ["i", "I am not sure", { same: null, unsure: true, flexible: [] }],
];

/** Whether another word would do at a place (from 0); where none is named, it would at all. */
export function isFlexible(value: ConsistencyValue | null, place: number): boolean {
  if (value?.same !== false) return false;
  return value.flexible.length === 0 || value.flexible.includes(place);
}

/** The answer with one place more, or less, at which another word would do. */
export function withPlace(
  value: ConsistencyValue | null,
  place: number,
  count: number,
): ConsistencyValue {
  const chosen = Array.from({ length: count }, (_, i) => i).filter(
    (each) => isFlexible(value, each) !== (each === place),
  );
  const all = chosen.length === count;
  return { same: chosen.length === 0, unsure: false, flexible: all ? [] : chosen };
}
