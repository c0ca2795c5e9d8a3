// Words that somebody selected, with the mouse or with keys, as code points of a text on the page.

import { useEffect, useState } from "preact/hooks";

import { Offsets } from "../../shared/codepoints";
import type { Mark } from "../../shared/runs";

/** A text that can be selected says so with `data-place`. */
export interface Selected {
  readonly place: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Where it is on the screen. */
  readonly box: DOMRect;
}

/** The places of the texts, as `data-place` has them. */
export const SOURCE = (segment: number) => `source ${segment}`;
export const OUTPUT = (slot: string) => `output ${slot}`;

/** What is selected now; null where it is nothing, or not within one text. */
export function selectedNow(): Selected | null {
  const selection = getSelection();
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const container = textAround(range.startContainer);
  if (!container || container !== textAround(endOf(range, container))) return null;
  const units = unitsWithin(container, range);
  const whole = container.textContent ?? "";
  const picked = whole.slice(...units);
  const from = units[0] + picked.length - picked.trimStart().length;
  const to = from + picked.trim().length;
  if (from >= to) return null;
  const offsets = new Offsets(whole);
  return {
    place: container.dataset["place"] as string,
    start: offsets.point(from),
    end: offsets.point(to),
    text: whole.slice(from, to),
    box: range.getBoundingClientRect(),
  };
}

function textAround(node: Node): HTMLElement | null {
  const element = node instanceof Element ? node : node.parentElement;
  return element?.closest<HTMLElement>("[data-place]") ?? null;
}

/** A triple click ends its selection at the start of the next paragraph: that is still this text. */
function endOf(range: Range, container: HTMLElement): Node {
  if (range.endOffset > 0 || container.contains(range.endContainer)) return range.endContainer;
  range.setEnd(container, container.childNodes.length);
  return container;
}

function unitsWithin(container: HTMLElement, range: Range): [number, number] {
  const before = document.createRange();
  before.selectNodeContents(container);
  before.setEnd(range.startContainer, range.startOffset);
  const start = before.toString().length;
  return [start, start + range.toString().length];
}

/** Selects units of a text on the page. */
export function select(container: Element, from: number, to: number): void {
  const [startNode, start] = spotAt(container, from);
  const [endNode, end] = spotAt(container, to);
  getSelection()?.setBaseAndExtent(startNode, start, endNode, end);
  const parent = startNode.parentElement;
  parent?.scrollIntoView({ block: "nearest" });
}

function spotAt(container: Element, unit: number): [Node, number] {
  const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT);
  let left = unit;
  let node = walker.nextNode();
  let last: Node = container;
  while (node) {
    const length = (node as Text).data.length;
    if (left <= length) return [node, left];
    left -= length;
    last = node;
    node = walker.nextNode();
  }
  return [last, last instanceof Text ? last.data.length : 0];
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** A range made wider, so that it cuts no word in two. */
export function wholeWords(text: string, range: Mark): Mark {
  const offsets = new Offsets(text);
  const from = offsets.unit(range.start);
  const to = offsets.unit(range.end);
  const segments = segmenter.segment(text);
  const first = segments.containing(from);
  const last = segments.containing(to - 1);
  return {
    start: offsets.point(first ? first.index : from),
    end: offsets.point(last ? last.index + last.segment.length : to),
  };
}

/** Scripts that put no spaces between words: there a character is what one marks. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Units of a text made wider to whole words, or to whole characters where words have no ends. */
export function snapped(text: string, from: number, to: number): [number, number] {
  const around = (unit: number) => {
    const sign = characters.segment(text).containing(unit);
    if (!sign || UNSPACED.test(sign.segment)) return sign;
    const word = segmenter.segment(text).containing(unit);
    return word?.isWordLike && !UNSPACED.test(word.segment) ? word : sign;
  };
  const last = around(to - 1);
  return [around(from)?.index ?? from, last ? last.index + last.segment.length : to];
}

/** Makes the selection on the page wider, so that people see what they mark. */
export function snapSelection(): void {
  const found = selectedNow();
  const container = found && document.querySelector(`[data-place="${found.place}"]`);
  if (!container) return;
  const whole = container.textContent ?? "";
  const offsets = new Offsets(whole);
  const [from, to] = [offsets.unit(found.start), offsets.unit(found.end)];
  const [start, end] = snapped(whole, from, to);
  if (start !== from || end !== to) select(container, start, end);
}

let pointer = "mouse";

/** Whether fingers did the last thing. */
export const byTouch = () => pointer === "touch";

export function deselect(): void {
  getSelection()?.removeAllRanges();
}

/** What is selected, once the pointer rests. */
export function useSelected(): Selected | null {
  const [selected, setSelected] = useState<Selected | null>(null);
  useEffect(() => {
    let pressed = false;
    const look = () => {
      if (!pressed) setSelected(selectedNow());
    };
    const press = (event: PointerEvent) => {
      pressed = true;
      pointer = event.pointerType;
    };
    // Alt leaves the edges between letters. Fingers move the handles of a selection as they like,
    // and what they marked is made whole when something is done with it.
    const release = (event: PointerEvent) => {
      pressed = false;
      setTimeout(() => {
        if (event.pointerType !== "touch" && !event.altKey) snapSelection();
        look();
      });
    };
    const lose = () => {
      pressed = false;
      look();
    };
    document.addEventListener("selectionchange", look);
    document.addEventListener("pointerdown", press);
    document.addEventListener("pointerup", release);
    document.addEventListener("pointercancel", lose);
    return () => {
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("pointerdown", press);
      document.removeEventListener("pointerup", release);
      document.removeEventListener("pointercancel", lose);
    };
  }, []);
  return selected;
}
