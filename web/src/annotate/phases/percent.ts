// A score from 0 to 100 typed as its digits: the first gives the tens, the next one the rest.

import { useRef } from "preact/hooks";

import { type Shortcut, useShortcuts } from "../input/shortcuts";
import { asks, type Row } from "../task/screens";
import type { Kind } from "../task/values";
import type { Work } from "../task/work";

const SOON = 1200;
export const DIGITS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** Turns digits into scores; those about another item, or much later, begin anew. */
export class Typed {
  private tens = 0;
  private item = "";
  private until = 0;

  score(item: string, digit: number, now: number): number {
    const second = item === this.item && now < this.until;
    this.item = item;
    this.until = second ? 0 : now + SOON;
    const score = second ? this.tens + digit : digit * 10;
    this.tens = digit * 10;
    return score;
  }
}

export function useTyped(): Typed {
  return useRef(new Typed()).current;
}

/** The keys of a score: digits, X for 100, arrows on the scale itself. */
export function useScoreKeys<K extends Kind>(
  title: string,
  work: Work<K>,
  score: (row: Row, number: number) => void,
  others: readonly Shortcut[] = [],
): void {
  const typed = useTyped();
  const { currentRow } = work.cursor;
  const put = (number: number) => {
    if (asks(currentRow)) score(currentRow, number);
  };
  useShortcuts({
    title,
    shortcuts: [
      ...others,
      {
        keys: DIGITS,
        label: "The score: 7 5 is 75, 7 alone is 70",
        run: (key) => put(typed.score(currentRow.item, Number(key), Date.now())),
      },
      { keys: ["x"], label: "100", run: () => put(100) },
      { keys: ["ArrowLeft", "ArrowRight"], label: "In steps of 1", run: () => undefined },
    ],
  });
}
