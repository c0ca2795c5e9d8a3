// A text cut into runs, so that any number of overlapping marks can be shown at once.

import { Offsets } from "./codepoints";

/** A marked range of code points. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /** The word that stands for an empty range; without one, that is not shown. */
  readonly gap?: string;
}

/** A piece of text between two boundaries, with every mark that covers it. */
export interface Run<M extends Mark> {
  readonly text: string;
  readonly marks: readonly M[];
}

/** The runs of a text, in order; together they are the whole text. A gap is an empty run. */
export function runs<M extends Mark>(text: string, marks: readonly M[]): Run<M>[] {
  if (marks.length === 0) return text === "" ? [] : [{ text, marks: [] }];
  const offsets = new Offsets(text);
  const all = marks
    .map((mark) => ({ mark, from: offsets.unit(mark.start), to: offsets.unit(mark.end) }))
    .sort((one, other) => one.from - other.from || other.to - one.to);
  const placed = all.filter(({ from, to }) => from < to);
  const gaps = all.filter(({ mark, from, to }) => from === to && mark.gap !== undefined);
  const gapsAt = (place: number): Run<M>[] =>
    gaps.filter(({ from }) => from === place).map(({ mark }) => ({ text: "", marks: [mark] }));
  const cuts = new Set<number>([0, text.length]);
  for (const { from, to } of [...placed, ...gaps]) cuts.add(from).add(to);
  const ordered = [...cuts].sort((one, other) => one - other);
  const found: Run<M>[] = [];
  let open: typeof placed = [];
  let next = 0;
  for (let i = 0; i + 1 < ordered.length; i++) {
    const from = ordered[i] as number;
    const to = ordered[i + 1] as number;
    open = open.filter((each) => each.to > from);
    while (next < placed.length && (placed[next] as (typeof placed)[0]).from <= from) {
      open.push(placed[next++] as (typeof placed)[0]);
    }
    found.push(...gapsAt(from));
    found.push({ text: text.slice(from, to), marks: open.map((each) => each.mark) });
  }
  return [...found, ...gapsAt(text.length)];
}
