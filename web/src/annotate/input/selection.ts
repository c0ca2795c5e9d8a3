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
    const press = () => {
      pressed = true;
    };
    const release = () => {
      pressed = false;
      setTimeout(look);
    };
    document.addEventListener("selectionchange", look);
    document.addEventListener("pointerdown", press);
    document.addEventListener("pointerup", release);
    return () => {
      document.removeEventListener("selectionchange", look);
      document.removeEventListener("pointerdown", press);
      document.removeEventListener("pointerup", release);
    };
  }, []);
  return selected;
}
