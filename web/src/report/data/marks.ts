// From evidence to marks: what each text of a document shows in one layer.

import type { EvidenceLayer } from "../../generated/report";
import { Offsets } from "../../shared/codepoints";
import type { ShownMark } from "../../shared/marked_text";
import { difference } from "../../shared/words";
import { heatClass } from "../colour";
import { number, short } from "../format";
import { kindOf, type Tone } from "../tones";
import type { Evidence, Place } from "./evidence";
import type { DocumentTexts } from "./report";

/** Marks by side and segment. */
export class Marks {
  private readonly places = new Map<string, ShownMark[]>();

  add(side: number, segment: number, mark: ShownMark): void {
    const key = `${side} ${segment}`;
    const known = this.places.get(key);
    if (known) known.push(mark);
    else this.places.set(key, [mark]);
  }

  at(side: number, segment: number): readonly ShownMark[] {
    return this.places.get(`${side} ${segment}`) ?? NONE;
  }
}

const NONE: readonly ShownMark[] = [];

/** Which evidence shows on which side. */
export type IsShown = (evidence: Evidence, side: number) => boolean;

/** Marks coloured by their reason; those of one evidence belong together. */
export function toneMarks(
  evidence: readonly Evidence[],
  layer: EvidenceLayer,
  tones: ReadonlyMap<string, Tone>,
  texts: DocumentTexts,
  isShown: IsShown,
): Marks {
  const marks = new Marks();
  for (const each of evidence) {
    const reason = layer.reasons[each.reason] as string;
    const look = `tone ${tones.get(kindOf(reason))}`;
    const weight = Number.isNaN(each.value) ? reason : `${reason}, ${short(each.value)}`;
    for (const place of each.places) {
      const { side, segment, start, end } = place;
      if (!isShown(each, side)) continue;
      const note = weight + handedIn(texts, place);
      marks.add(side, segment, { start, end, look, note, group: each.id, gap: kindOf(reason) });
    }
  }
  return marks;
}

/** Where a place stands in the text as it was handed in; nothing where that had these segments. */
function handedIn(texts: DocumentTexts, { side, segment, start, end }: Place): string {
  const begin = texts.handedIn.get(side)?.[segment];
  if (begin === undefined) return "";
  const [first, last] = [begin + start, begin + end].map((at) => at.toLocaleString("en"));
  return ` · characters ${first} to ${last} as handed in`;
}

/** Marks that show when pointed at: a word of the source with its counterparts in all systems. */
export function linkMarks(evidence: readonly Evidence[], systems: readonly number[]): Marks {
  const marks = new Marks();
  const groups = new Map<string, number>();
  for (const each of evidence) {
    const source = each.places[0];
    if (!source || !systems.includes(each.system)) continue;
    const word = `${source.segment} ${source.start}`;
    const group = groups.get(word) ?? groups.size;
    const known = groups.has(word);
    groups.set(word, group);
    for (const { side, segment, start, end } of each.places) {
      if (side === 0 && known) continue; // another system has marked it already
      marks.add(side, segment, { start, end, look: "link", group });
    }
  }
  return marks;
}

/** Marks coloured by their value; a piece that was scored several times shows the best of them. */
export function heatMarks(
  evidence: readonly Evidence[],
  layer: EvidenceLayer,
  document: DocumentTexts,
  isShown: IsShown,
): Marks {
  const best = new Map<string, { place: Place; value: number }>();
  for (const each of evidence) {
    const place = each.places[0];
    if (!place || !isShown(each, place.side)) continue;
    const key = `${place.side} ${place.segment} ${place.start} ${place.end}`;
    const known = best.get(key);
    if (!known || known.value < each.value) best.set(key, { place, value: each.value });
  }
  const marks = new Marks();
  for (const { place, value } of best.values()) {
    const text = document.texts[place.segment]?.[place.side] ?? "";
    const look = `heat ${heatClass(value)}`;
    const note = `log-probability ${number(value, layer.digits)}${handedIn(document, place)}`;
    const start = place.start + leadingSpaces(text, place);
    marks.add(place.side, place.segment, { start, end: place.end, look, note });
  }
  return marks;
}

/** A piece may begin with the space before its word, which should stay plain. */
function leadingSpaces(text: string, place: Place): number {
  const offsets = new Offsets(text);
  const piece = text.slice(offsets.unit(place.start), offsets.unit(place.end));
  return piece.length - piece.trimStart().length;
}

/** How the words of two sides differ, segment by segment. */
export function differenceMarks(document: DocumentTexts, one: number, other: number): Marks {
  const marks = new Marks();
  document.texts.forEach((row, segment) => {
    const [left, right] = [row[one], row[other]];
    if (left === null || left === undefined || right === null || right === undefined) return;
    const [onlyLeft, onlyRight] = difference(left, right);
    for (const mark of onlyLeft) marks.add(one, segment, { ...mark, look: "differs first" });
    for (const mark of onlyRight) marks.add(other, segment, { ...mark, look: "differs second" });
  });
  return marks;
}
