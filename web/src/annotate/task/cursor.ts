// Where the annotator is in a task; remembered by the browser from one visit to the next.

import { useCallback, useMemo, useState } from "preact/hooks";

import type { Answers } from "../saving/answers";
import { stored } from "../saving/shelf";
import { asks, type Row, type Screen, together } from "./screens";
import { firstGap, halfDone, type Kind } from "./values";

export interface Place {
  readonly screen: number;
  readonly row: number;
  /** Which of a row's questions. */
  readonly field: number;
}

export interface Cursor extends Place {
  readonly fields: number;
  readonly current: Screen;
  readonly currentRow: Row;
  go(place: Partial<Place>): void;
  step(rows: number): void;
  turn(screens: number): void;
  /** To the next question, across rows and screens. */
  advance(): void;
  /** To what the present item leaves open, or the next item; false where there is nothing. */
  seek(): boolean;
  find(item: string): void;
}

const PREFIX = "isogloss.place.";

export function useCursor<K extends Kind>(
  screens: readonly Screen[],
  answers: Answers<K>,
  fields: number,
  /** Something keeps the annotator at the present screen. */
  held: (screen: Screen) => boolean = () => false,
): Cursor {
  const [kept, setPlace] = useState<Place>(() => start(screens, answers));
  const place = useMemo(() => clamped(screens, kept, fields), [screens, kept]); // rows may be joined
  const gap = useCallback((row: Row) => gapIn(answers, row), [answers]);
  const half = (row: Row) => halfDone(answers.task.kind, answers.value(row.item));
  const go = (next: Partial<Place>) => {
    const to = clamped(screens, { ...place, ...next }, fields);
    if (to.screen === place.screen && to.row === place.row && to.field === place.field) return;
    if (to.screen !== place.screen && held(screens[place.screen] as Screen)) return;
    remember(answers.task.id, to);
    setPlace(to);
  };
  return useMemo(() => {
    const current = screens[place.screen] as Screen;
    return {
      ...place,
      fields,
      current,
      currentRow: current.rows[place.row] as Row,
      go,
      step: (rows) => {
        const row = nextAsking(current, place.row, rows);
        if (row !== null) go({ row, field: 0 });
      },
      turn: (count) => go({ screen: place.screen + count, row: 0, field: 0 }),
      advance: () => {
        if (place.field + 1 < fields) return go({ field: place.field + 1 });
        const row = nextAsking(current, place.row, 1);
        if (row !== null) return go({ row, field: 0 });
        return go({ screen: place.screen + 1, row: 0, field: 0 });
      },
      seek: () => {
        const own = half(current.rows[place.row] as Row)
          ? gap(current.rows[place.row] as Row)
          : null;
        const here = own === null || own === place.field ? null : { ...place, field: own };
        const found = here ?? firstOpen(screens, place, gap);
        if (found) go(found);
        return found !== null;
      },
      find: (item) => {
        const found = placeOf(screens, item);
        if (found) go(found);
      },
    };
  }, [place, screens, gap, held]);
}

function start<K extends Kind>(screens: readonly Screen[], answers: Answers<K>): Place {
  const kept = stored(() => localStorage.getItem(PREFIX + answers.task.id));
  const place = kept ? (JSON.parse(kept) as Place) : null;
  if (place && screens[place.screen]?.rows[place.row]) return place;
  const found = firstOpen(screens, { ...ORIGIN, row: -1 }, (row) => gapIn(answers, row));
  return found ?? clamped(screens, ORIGIN, 1);
}

/** The first question of a row that is not answered. */
function gapIn<K extends Kind>(answers: Answers<K>, row: Row): number | null {
  return asks(row) ? firstGap(answers.task.kind, answers.value(row.item)) : null;
}

const ORIGIN: Place = { screen: 0, row: 0, field: 0 };

function remember(task: string, place: Place): void {
  stored(() => localStorage.setItem(PREFIX + task, JSON.stringify(place)));
}

function clamped(screens: readonly Screen[], place: Place, fields: number): Place {
  const screen = between(place.screen, screens.length);
  const rows = (screens[screen] as Screen).rows;
  let row = between(place.row, rows.length);
  if (!asks(rows[row] as Row)) row = Math.max(0, rows.findIndex(asks));
  return { screen, row, field: between(place.field, fields) };
}

function between(number: number, count: number): number {
  return Math.max(0, Math.min(number, count - 1));
}

function nextAsking(screen: Screen, row: number, step: number): number | null {
  for (let next = row + step; next >= 0 && next < screen.rows.length; next += step) {
    if (asks(screen.rows[next] as Row)) return next;
  }
  return null;
}

/** The first open item behind a place; what its own screen leaves open comes before the next one. */
function firstOpen(
  screens: readonly Screen[],
  from: Place,
  gap: (row: Row) => number | null,
): Place | null {
  const open = screens.flatMap((each, screen) =>
    each.rows.flatMap((row, i) => {
      const field = gap(row);
      return field === null ? [] : [{ screen, row: i, field }];
    }),
  );
  const here = open.filter((place) => place.screen === from.screen && place.row !== from.row);
  return (
    here.find((place) => place.row > from.row) ??
    here[0] ??
    open.find((place) => place.screen > from.screen) ??
    open[0] ??
    null
  );
}

function placeOf(screens: readonly Screen[], item: string): Place | null {
  for (const [screen, each] of screens.entries()) {
    const row = each.rows.findIndex((one) => together(one).some((any) => any.item === item));
    if (row >= 0) return { screen, row, field: 0 };
  }
  return null;
}
