// What phase 2 says about the translations of one occurrence, and how "same as" keeps up with it.

import type { OccurrenceValue, Phenomenon, Place } from "../../generated/annotate";
import type { Row } from "../task/screens";
import { valueOf, type Work } from "../task/work";

export type OccurrenceWork = Work<"phase2">;
type Marks = Pick<OccurrenceValue, "no_error" | "phenomena">;

/** Says something about one translation; those that are "the same" say it too, as one step. */
export function mark(work: OccurrenceWork, row: Row, marks: Marks): void {
  const value = { ...valueOf(work, row), ...marks, same_as: null };
  work.answers.set([
    [row.item, value],
    ...followers(work, row).map((each) => [each.item, like(work, each, marks, row.slot)] as const),
  ]);
}

/** Ticks a phenomenon, or takes the tick away; its severity is asked for separately. */
export function tick(work: OccurrenceWork, row: Row, name: Phenomenon): void {
  const { [name]: known, ...others } = valueOf(work, row).phenomena;
  const phenomena = known === undefined ? { ...others, [name]: null } : others;
  mark(work, row, { no_error: false, phenomena });
}

export function rate(work: OccurrenceWork, row: Row, name: Phenomenon, severity: number): void {
  const phenomena = { ...valueOf(work, row).phenomena, [name]: severity };
  mark(work, row, { no_error: false, phenomena });
}

export function noError(work: OccurrenceWork, row: Row): void {
  mark(work, row, { no_error: !valueOf(work, row).no_error, phenomena: {} });
}

/** From now on the row says what another one says; whoever followed the row follows that one. */
export function sameAs(work: OccurrenceWork, row: Row, slot: string): void {
  const rows = work.cursor.current.rows;
  const named = rows.find((each) => each.slot === slot);
  const leader =
    named && (rows.find((each) => each.slot === valueOf(work, named).same_as) ?? named);
  if (!leader || leader.slot === row.slot) return;
  const { no_error, phenomena } = valueOf(work, leader);
  work.answers.set(
    [row, ...followers(work, row)].map((each) => [
      each.item,
      like(work, each, { no_error, phenomena }, leader.slot),
    ]),
  );
}

function followers(work: OccurrenceWork, row: Row): Row[] {
  return work.cursor.current.rows.filter((each) => valueOf(work, each).same_as === row.slot);
}

function like(work: OccurrenceWork, row: Row, marks: Marks, slot: string | null): OccurrenceValue {
  return { ...valueOf(work, row), ...marks, same_as: slot };
}

/** The words that stand for an occurrence: as the annotator set them, or as an aligner found them. */
export function targetOf(work: OccurrenceWork, occurrence: number, slot: string): readonly Place[] {
  const item = `occ:${occurrence}/${slot}`;
  const corrected = work.answers.value(item)?.target;
  if (corrected) return corrected;
  return (work.task.aligned[item] ?? []).map(([start, end]) => ({ start, end }));
}

/** Places with one more, in order; those that touch become one. */
export function joined(places: readonly Place[], added: Place): Place[] {
  const result: Place[] = [];
  for (const place of [...places, added].sort((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last && place.start <= last.end) {
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, place.end) };
    } else {
      result.push(place);
    }
  }
  return result;
}
