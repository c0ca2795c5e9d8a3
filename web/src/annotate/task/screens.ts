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
  /** The whole document is judged; its `segment` is none of the document's. */
  readonly whole: boolean;
  readonly rows: readonly Row[];
}

const ITEM = /^(line|seg|occ|chain|doc|pair):(\d+)(?:\/([A-Z]+))?(?:~(\d+))?$/;

export interface ItemParts {
  readonly number: number;
  readonly slot: string | null;
  readonly check: boolean;
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
    check: check !== undefined,
    whole: kind === "doc" || kind === "pair",
  };
}

const NOWHERE = -1;

/** The screens in the order of the items; whatever shows a text of its own stands alone. */
export function screensOf(task: TaskView): Screen[] {
  const shown = new Map(task.shown.map((each) => [each.item, each.text]));
  const screens: (Screen & { rows: Row[]; alone: boolean })[] = [];
  for (const item of task.items) {
    const { number, slot, check, whole } = itemParts(item);
    const segment = whole ? NOWHERE : segmentOf(task, number);
    const lines = slot ? (task.outputs[slot] ?? []) : [];
    const text = shown.get(item) ?? (whole ? joined(lines) : (lines[segment] ?? null));
    const last = screens.at(-1);
    if (last && last.number === number && last.whole === whole && !last.alone && !check) {
      last.rows.push({ item, slot, text });
    } else {
      screens.push({ number, segment, whole, rows: [{ item, slot, text }], alone: check });
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

/** Whether a row asks anything: a line without a translation does not. */
export function asks(row: Row): boolean {
  return row.slot === null || row.text !== null;
}
