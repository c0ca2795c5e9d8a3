// Translations with the same words on one screen: judged once, unless somebody judges them apart.

import { useReducer, useRef } from "preact/hooks";

import type { Answers } from "../saving/answers";
import { sameValue, type Value } from "../saving/outbox";
import { type Row, type Screen, together } from "./screens";
import type { Kind } from "./values";

export interface Joined {
  readonly screens: readonly Screen[];
  /** Whether a row has others with the same words, joined or apart. */
  hasTwins(screen: Screen, row: Row): boolean;
  /** Parts a row from its twins, or joins them again: what it says is said of all. */
  toggle(screen: Screen, row: Row): void;
}

/** What somebody parted, and what was answered in different ways, stays apart. */
export function useJoined<K extends Kind>(
  all: readonly Screen[],
  answers: Answers<K>,
  on: boolean,
): Joined {
  const apart = useRef(new Set<string>()).current;
  const [, again] = useReducer((count: number) => count + 1, 0);
  const same = (one: Row, other: Row) =>
    one.text === other.text &&
    sameValue(standing(answers, one.item), standing(answers, other.item));
  const screens = on ? all.map((screen) => joinedScreen(screen, apart, same)) : all;
  return {
    screens,
    hasTwins: (screen, row) => on && twins(screen, row).length > 1,
    toggle: (screen, row) => {
      const all = twins(screen, row);
      const key = all[0]?.item ?? "";
      if (apart.delete(key)) {
        const value = answers.value(row.item) ?? answers.blankOf(row.item);
        answers.set(all.map((each) => [each.item, value]));
      } else apart.add(key);
      again(undefined);
    },
  };
}

function standing<K extends Kind>(answers: Answers<K>, item: string): Value {
  return (answers.value(item) ?? answers.blankOf(item)) as unknown as Value;
}

function twins(screen: Screen, row: Row): readonly Row[] {
  return screen.rows.flatMap(together).filter((each) => each.text === row.text);
}

/** The screen with one row for equal texts; texts that are answered unlike are noted as apart. */
export function joinedScreen(
  screen: Screen,
  apart: Set<string>,
  same: (one: Row, other: Row) => boolean,
): Screen {
  const rows: (Row & { also: Row[] })[] = [];
  for (const row of screen.rows) {
    const first = screen.rows.find((each) => each.text === row.text) as Row;
    if (first !== row && row.text !== null && !same(first, row)) apart.add(first.item);
  }
  for (const row of screen.rows) {
    const first = rows.find((each) => each.text === row.text);
    if (first && row.text !== null && !apart.has(first.item)) first.also.push(row);
    else rows.push({ ...row, also: [] });
  }
  return { ...screen, rows };
}
