// Parts of long texts, for what only gives context; never cut inside a code point.

import type { ShownMark } from "../../shared/marked_text";

export interface Excerpt {
  readonly text: string;
  readonly marks: readonly ShownMark[];
}

const AROUND = 110;

/** The text around its first mark of a look, or its beginning where there is none. */
export function excerpt(text: string, marks: readonly ShownMark[], look: string): Excerpt {
  const points = [...text];
  const first = marks.find((mark) => mark.look === look);
  const from = first ? atSpace(points, first.start - AROUND, 1) : 0;
  const to = atSpace(points, (first?.end ?? AROUND) + AROUND, -1);
  const before = from > 0 ? "… " : "";
  const shift = before.length - from;
  return {
    text: before + points.slice(from, to).join("") + (to < points.length ? " …" : ""),
    marks: marks
      .filter((mark) => mark.start >= from && mark.end <= to)
      .map((mark) => ({ ...mark, start: mark.start + shift, end: mark.end + shift })),
  };
}

const SPACE = /\s/;
const NEAR = 15;

/** A place near this one where no word is cut, if there is any. */
function atSpace(points: readonly string[], place: number, step: 1 | -1): number {
  if (place <= 0) return 0;
  if (place >= points.length) return points.length;
  for (let at = place, tries = 0; tries < NEAR; at += step, tries++) {
    if (SPACE.test(points[at] ?? " ")) return step > 0 ? at + 1 : at;
  }
  return place;
}

const LONG = 400;

/** The end of a text that comes before. */
export function ending(text: string): string {
  return text.length <= LONG ? text : `… ${[...text.slice(-2 * LONG)].slice(-LONG).join("")}`;
}

/** The beginning of a text that follows. */
export function beginning(text: string): string {
  return text.length <= LONG ? text : `${[...text.slice(0, 2 * LONG)].slice(0, LONG).join("")} …`;
}
