// One tab stop for a grid of many cells: arrow keys move between them.

import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const STEPS: Record<string, readonly [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Cells say where they are with `data-cell="row,column"`. */
export function useArrowKeys(grid: RefObject<HTMLElement | null>): void {
  // Before the page is shown: a key that follows at once must not be lost.
  useLayoutEffect(() => {
    const container = grid.current;
    if (!container) return;
    const move = (event: KeyboardEvent) => {
      const step = STEPS[event.key];
      const cell = (event.target as Element).closest("[data-cell]");
      if (!step || !cell) return;
      const [row, column] = (cell.getAttribute("data-cell") ?? "").split(",").map(Number);
      const next = container.querySelector<HTMLElement>(
        `[data-cell="${(row as number) + step[0]},${(column as number) + step[1]}"]`,
      );
      if (!next) return;
      event.preventDefault();
      next.focus();
    };
    const remember = (event: FocusEvent) => {
      const cell = (event.target as Element).closest("[data-cell]");
      if (!cell) return;
      for (const other of container.querySelectorAll('[data-cell][tabindex="0"]')) {
        other.setAttribute("tabindex", "-1");
      }
      cell.setAttribute("tabindex", "0");
    };
    container.addEventListener("keydown", move as EventListener);
    container.addEventListener("focusin", remember as EventListener);
    return () => {
      container.removeEventListener("keydown", move as EventListener);
      container.removeEventListener("focusin", remember as EventListener);
    };
  }, []);
}

/** The attributes of a cell; the first one is where Tab arrives. */
export function cellAt(row: number, column: number): { "data-cell": string; tabIndex: number } {
  return { "data-cell": `${row},${column}`, tabIndex: row === 0 && column === 0 ? 0 : -1 };
}
