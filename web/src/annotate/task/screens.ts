// A task cut into screens: what is judged together, one row for each translation.

import type { TaskView } from "../../generated/annotate";

/** One thing to answer. */
export interface Row {
  readonly item: string;
  readonly slot: string | null;
  readonly text: string | null;
}

export interface Screen {
  /** The line, occurrence or chain, counted from 0. */
  readonly number: number;
  /** The segment of the document that the screen is about. */
  readonly segment: number;
  readonly rows: readonly Row[];
}

const ITEM = /^(?:line|seg|occ|chain):(\d+)(?:\/([A-Z]+))?(?:~(\d+))?$/;

export function itemParts(item: string): { number: number; slot: string | null; check: boolean } {
  const match = ITEM.exec(item);
  if (!match) throw new Error(`${item} is no name of an item`);
  return { number: Number(match[1]), slot: match[2] ?? null, check: match[3] !== undefined };
}

/** The screens in the order of the items; whatever shows a text of its own stands alone. */
export function screensOf(task: TaskView): Screen[] {
  const shown = new Map(task.shown.map((each) => [each.item, each.text]));
  const screens: { number: number; segment: number; rows: Row[]; alone: boolean }[] = [];
  for (const item of task.items) {
    const { number, slot, check } = itemParts(item);
    const segment = segmentOf(task, number);
    const text = shown.get(item) ?? (slot ? (task.outputs[slot]?.[segment] ?? null) : null);
    const last = screens.at(-1);
    if (last && last.number === number && !last.alone && !check) {
      last.rows.push({ item, slot, text });
    } else {
      screens.push({ number, segment, rows: [{ item, slot, text }], alone: check });
    }
  }
  return screens;
}

function segmentOf(task: TaskView, number: number): number {
  if (task.kind === "phase2") return task.markable?.occurrences[number]?.segment ?? 0;
  if (task.kind === "consistency") return task.chains[number]?.places[0]?.segment ?? 0;
  return number;
}

/** Whether a row asks anything: a line without a translation does not. */
export function asks(row: Row): boolean {
  return row.slot === null || row.text !== null;
}
