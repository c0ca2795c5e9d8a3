// Thin curves between the places that belong together, drawn over the text while one is pointed at.

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly row: Element | null;
  readonly column: number;
}

/** Links the marks of a group inside a container that is positioned. */
export function Links(props: { container: RefObject<HTMLElement | null>; group: number | null }) {
  const [paths, setPaths] = useState<readonly string[]>([]);
  useLayoutEffect(() => {
    const container = props.container.current;
    if (!container || props.group === null) {
      setPaths([]);
      return;
    }
    const origin = container.getBoundingClientRect();
    const found = container.querySelectorAll(`mark[data-groups~="${props.group}"]`);
    setPaths(linked([...found].map((mark) => spotOf(mark, origin))));
  }, [props.group]);
  return (
    <svg class="links" aria-hidden="true">
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  );
}

/** Down each column from mention to mention, and across the columns of each row. */
function linked(spots: readonly Spot[]): string[] {
  const paths: string[] = [];
  const lowest = new Map<number, Spot>();
  let before: Spot | null = null;
  for (const spot of spots) {
    const above = lowest.get(spot.column);
    if (above) paths.push(down(above, spot));
    if (before && before.row === spot.row && before.column !== spot.column) {
      paths.push(across(before, spot));
    }
    lowest.set(spot.column, spot);
    before = spot;
  }
  return paths;
}

function spotOf(mark: Element, origin: DOMRect): Spot {
  const box = mark.getClientRects()[0] ?? mark.getBoundingClientRect();
  const cell = mark.closest("[role=cell]");
  const row = cell?.parentElement ?? null;
  return {
    x: box.left + box.width / 2 - origin.left,
    y: box.bottom - origin.top,
    row,
    column: cell && row ? [...row.children].indexOf(cell) : 0,
  };
}

const BEND = 12;

function down(from: Spot, to: Spot): string {
  return `M${from.x},${from.y} C${from.x},${from.y + BEND * 2} ${to.x},${to.y - BEND * 3} ${to.x},${to.y - BEND * 1.6}`;
}

function across(from: Spot, to: Spot): string {
  const deep = Math.max(from.y, to.y) + BEND;
  return `M${from.x},${from.y} C${from.x},${deep} ${to.x},${deep} ${to.x},${to.y}`;
}
