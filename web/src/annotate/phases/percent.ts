// A score from 0 to 100 typed as its digits: the first gives the tens, the next one the rest.

import { useRef } from "preact/hooks";

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
