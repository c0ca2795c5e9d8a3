// A task cut into screens: what is judged together, one row for each translation.

import type { TaskView } from "../../generated/annotate";

/** One thing to answer. */
export interface Row {
  readonly item: string;
  readonly slot: string | null;
  readonly text: string | null;
  /** Others with the same words, which are answered with this one. */
  readonly also: readonly Row[];
}

export interface Screen {
  /** The line, occurrence or chain, counted from 0. */
  readonly number: number;
  /** The segment of the document that the screen is about. */
  readonly segment: number;
  /** The whole document is judged; its `segment` is none of the document's. */
  readonly whole: boolean;
  readonly rows: readonly Row[];
}

const ITEM = /^(line|seg|occ|chain|doc|pair):(\d+)(?:\/([A-Z]+))?(?:~(\d+))?$/;

export interface ItemParts {
  readonly number: number;
  readonly slot: string | null;
  /** Which check it belongs to, if it is one. */
  readonly check: string | null;
  /** It asks about a whole document. */
  readonly whole: boolean;
}

export function itemParts(item: string): ItemParts {
  const match = ITEM.exec(item);
  if (!match) throw new Error(`${item} is no name of an item`);
  const [, kind, number, slot, check] = match;
  return {
    number: Number(number),
    slot: slot ?? null,
    check: check ?? null,
    whole: kind === "doc" || kind === "pair",
  };
}

const NOWHERE = -1;

/** The screens in the order of the items; a check stands alone, or with its own kind. */
export function screensOf(task: TaskView): Screen[] {
  const shown = new Map(task.shown.map((each) => [each.item, each.text]));
  const screens: (Screen & { rows: Row[]; check: string | null })[] = [];
  for (const item of task.items) {
    const { number, slot, check, whole } = itemParts(item);
    const segment = whole ? NOWHERE : segmentOf(task, number);
    const lines = slot ? (task.outputs[slot] ?? []) : [];
    const text = shown.get(item) ?? (whole ? joined(lines) : (lines[segment] ?? null));
    const last = screens.at(-1);
    const row = { item, slot, text, also: [] };
    if (last && last.number === number && last.whole === whole && last.check === check) {
      last.rows.push(row);
    } else {
      screens.push({ number, segment, whole, rows: [row], check });
    }
  }
  return screens;
}

/** All that there is of a translation. */
export function joined(lines: readonly (string | null)[]): string | null {
  const there = lines.filter((line) => line !== null);
  return there.length ? there.join("\n") : null;
}

function segmentOf(task: TaskView, number: number): number {
  if (task.kind === "phase2") return task.markable?.occurrences[number]?.segment ?? 0;
  if (task.kind === "consistency") return task.chains[number]?.places[0]?.segment ?? 0;
  return number;
}

/** The letters of a row: of its translation, and of those with the same words. */
export function lettersOf(row: Row): string {
  return together(row)
    .map((each) => each.slot)
    .join(", ");
}

/** All that is answered as one. */
export function together(row: Row): readonly Row[] {
  return [row, ...row.also];
}

/** Whether a row asks anything: a line without a translation does not. */
export function asks(row: Row): boolean {
  return row.slot === null || row.text !== null;
}
