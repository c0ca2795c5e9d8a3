// Choosing words with the keyboard: arrows go from word to word, with Shift they take more.

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { deselect, select } from "./selection";
import { type Shortcut, useShortcuts } from "./shortcuts";

interface Word {
  readonly from: number;
  readonly to: number;
}

/** Which text words are chosen in; null while none are. */
export interface Picking {
  readonly place: string | null;
  begin(place: string): void;
  end(): void;
}

/** While words are chosen, the keys of what can be done with them work as well. */
export function usePicking(actions: readonly Shortcut[]): Picking {
  const [place, setPlace] = useState<string | null>(null);
  const left = useRef<HTMLElement | null>(null);
  const end = () => {
    setPlace(null);
    deselect();
    left.current?.focus({ preventScroll: true });
    left.current = null;
  };
  const range = useRef({ words: [] as Word[], anchor: 0, head: 0 });
  useLayoutEffect(() => {
    if (place === null) return;
    const container = textAt(place);
    const words = container ? wordsOf(container.textContent ?? "") : [];
    if (!container || words.length === 0) return setPlace(null);
    range.current = { words, anchor: 0, head: 0 };
    left.current = document.activeElement as HTMLElement | null;
    left.current?.blur();
    container.scrollIntoView({ block: "nearest" });
    show(container, range.current);
    return;
  }, [place]);
  const move = (key: string) => {
    const container = place === null ? null : textAt(place);
    if (!container) return;
    const { words, head } = range.current;
    const next = target(key, head, words.length, readingOf(container));
    range.current.head = next;
    if (!key.startsWith("shift+")) range.current.anchor = next;
    show(container, range.current);
  };
  useShortcuts(
    {
      title: "Choosing words",
      alone: true,
      shortcuts: [
        { keys: ["ArrowLeft", "ArrowRight", "Home", "End"], label: "Another word", run: move },
        { keys: ["shift+ArrowLeft", "shift+ArrowRight"], label: "More words", run: move },
        ...actions,
        { keys: ["Escape"], label: "Choose nothing", run: end },
      ],
    },
    place !== null,
  );
  return { place, begin: setPlace, end };
}

/** The text itself knows its direction, not the place where it stands. */
function readingOf(container: Element): string {
  return getComputedStyle(container.firstElementChild ?? container).direction;
}

function textAt(place: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-place="${place}"]`);
}

function target(key: string, head: number, count: number, direction: string): number {
  const bare = key.replace("shift+", "");
  if (bare === "Home") return 0;
  if (bare === "End") return count - 1;
  const forward = (bare === "ArrowRight") === (direction !== "rtl");
  return Math.max(0, Math.min(count - 1, head + (forward ? 1 : -1)));
}

function show(container: Element, range: { words: Word[]; anchor: number; head: number }): void {
  const first = range.words[Math.min(range.anchor, range.head)] as Word;
  const last = range.words[Math.max(range.anchor, range.head)] as Word;
  select(container, first.from, last.to);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

/** The words of a text of any script; signs that are not words count where there is nothing else. */
function wordsOf(text: string): Word[] {
  const parts = [...segmenter.segment(text)].filter((part) => part.segment.trim() !== "");
  return parts.map(({ index, segment }) => ({ from: index, to: index + segment.length }));
}
