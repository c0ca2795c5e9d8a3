// Words of any script, and how the words of two texts differ.

import { diffArrays } from "diff";

import type { Mark } from "./runs";

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** The words, spaces and signs of a text; together they are the whole text. */
export function words(text: string): string[] {
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** What each of two texts has that the other lacks, as ranges of code points. */
export function difference(one: string, other: string): [Mark[], Mark[]] {
  const onlyOne: Mark[] = [];
  const onlyOther: Mark[] = [];
  let atOne = 0;
  let atOther = 0;
  for (const part of diffArrays(words(one), words(other))) {
    const text = part.value.join("");
    const length = pointCount(text);
    if (part.removed) onlyOne.push(...withoutSpaces(text, atOne));
    if (part.added) onlyOther.push(...withoutSpaces(text, atOther));
    if (!part.added) atOne += length;
    if (!part.removed) atOther += length;
  }
  return [onlyOne, onlyOther];
}

/** In each of several texts, the words that all of them have in the same order. */
export function common(texts: readonly string[]): Mark[][] {
  const parts = texts.map(words);
  const shared = parts.reduce((one, other) =>
    diffArrays(one, other).flatMap((part) => (part.added || part.removed ? [] : part.value)),
  );
  return parts.map((own) => {
    const marks: Mark[] = [];
    let at = 0;
    for (const part of diffArrays(shared, own)) {
      if (part.removed) continue;
      const text = part.value.join("");
      if (!part.added) marks.push(...withoutSpaces(text, at));
      at += pointCount(text);
    }
    return marks;
  });
}

/** The range of a piece of text without the spaces around it; none if that is all it is. */
function withoutSpaces(text: string, start: number): Mark[] {
  const from = start + text.length - text.trimStart().length;
  const length = pointCount(text.trim());
  return length ? [{ start: from, end: from + length }] : [];
}

function pointCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
