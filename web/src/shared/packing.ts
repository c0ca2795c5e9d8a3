// Columns of whole numbers as printable text; the counterpart of isogloss/report/packing.py.

import type { Packed } from "../generated/report";

const FIRST = 0x20;
const BASE = 46;

/** The digit of each character code; digits of BASE and more say that another follows. */
const DIGIT = (() => {
  const table = new Int8Array(128).fill(-1);
  let digit = 0;
  for (let code = FIRST; code < 0x7e; code++) {
    const character = String.fromCharCode(code);
    if (character !== '"' && character !== "\\") table[code] = digit++;
  }
  return table;
})();

/** Whole numbers of 0 or more. */
export function unpacked(text: Packed): number[] {
  const numbers: number[] = [];
  let value = 0;
  let weight = 1;
  for (let i = 0; i < text.length; i++) {
    const digit = DIGIT[text.charCodeAt(i)] as number;
    if (digit < BASE) {
      numbers.push(value + digit * weight);
      value = 0;
      weight = 1;
    } else {
      value += (digit - BASE) * weight;
      weight *= BASE;
    }
  }
  return numbers;
}

/** Whole numbers of either sign. */
export function unpackedSigned(text: Packed): number[] {
  return unpacked(text).map(signed);
}

/** Numbers with decimal digits; NaN where there is none. */
export function unpackedScores(text: Packed, digits: number): Float64Array {
  const scale = 10 ** digits;
  return Float64Array.from(unpacked(text), (n) => (n === 0 ? NaN : signed(n - 1) / scale));
}

function signed(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}
