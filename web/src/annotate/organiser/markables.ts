// What the organiser does to markables: find, add, take away, merge.

import type { CandidateView, CuratedMarkable, PlaceView } from "../../generated/annotate";
import { Offsets } from "../../shared/codepoints";

export type State = CuratedMarkable["state"];

/** Every place of some words in the source, in any letter case. */
export function placesOf(words: string, source: readonly string[]): PlaceView[] {
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "giu");
  return source.flatMap((text, segment) => {
    const offsets = new Offsets(text);
    return [...text.matchAll(pattern)].map((match) => ({
      segment,
      start: offsets.point(match.index),
      end: offsets.point(match.index + match[0].length),
    }));
  });
}

/** Places in their order, each once. */
export function ordered(places: readonly PlaceView[]): PlaceView[] {
  const each = new Map(
    places.map((place) => [`${place.segment} ${place.start} ${place.end}`, place]),
  );
  return [...each.values()].sort(
    (one, other) => one.segment - other.segment || one.start - other.start || one.end - other.end,
  );
}

/** Both sides of a merger: one takes all places, the other is rejected and says where they went. */
export function merged(
  gone: CuratedMarkable,
  kept: CuratedMarkable,
): [CuratedMarkable, CuratedMarkable] {
  const occurrences = ordered([...kept.occurrences, ...gone.occurrences]);
  return [
    {
      ...gone,
      state: "rejected",
      origin: `${gone.origin}; merged into ${kept.head}`.slice(0, 500),
    },
    { ...kept, occurrences },
  ];
}

/** Who came up with a candidate: annotators, a program, or both. */
export function sides({ origin }: CuratedMarkable): string[] {
  const told = [
    ["reported by", "reported"],
    ["proposed:", "automatic"],
  ] as const;
  return told.filter(([words]) => origin.includes(words)).map(([, name]) => name);
}

const ORDER: Record<State, number> = { proposed: 0, accepted: 1, rejected: 2 };

/** What is left to decide first, then what was accepted; the frequent ones before the rare. */
export function listed(candidates: readonly CandidateView[]): CandidateView[] {
  return candidates.toSorted(
    (one, other) =>
      ORDER[one.markable.state] - ORDER[other.markable.state] ||
      other.markable.occurrences.length - one.markable.occurrences.length,
  );
}
