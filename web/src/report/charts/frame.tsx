// The frame of a chart: as wide as there is room, with letters of one size, and ready to be saved.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import { fileName, printAlone, save, standalone } from "../export";

const AT_FIRST = 480;

export function Chart(props: {
  label: string;
  /** What a saved file is called. */
  name: string;
  height: number;
  role?: "img" | "group";
  class?: string;
  children: (width: number) => ComponentChildren;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const width = useWidth(frame);
  const saveDrawing = () =>
    drawing.current &&
    save(`${fileName(props.name)}.svg`, standalone(drawing.current), "image/svg+xml");
  return (
    <div class="chart" ref={frame}>
      <svg
        ref={drawing}
        viewBox={`0 0 ${width} ${props.height}`}
        width={width}
        height={props.height}
        role={props.role ?? "group"}
        aria-label={props.label}
        class={props.class ?? ""}
      >
        {props.children(width)}
      </svg>
      <div class="save" role="group" aria-label={`Save: ${props.label}`}>
        <button type="button" onClick={saveDrawing} title="Save this chart as SVG">
          SVG
        </button>
        <button
          type="button"
          onClick={() => drawing.current && printAlone(drawing.current)}
          title="Print this chart alone, on a page of its size; choose “Save as PDF”"
        >
          PDF
        </button>
      </div>
    </div>
  );
}

/** The width of an element in pixels, kept up to date. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(AT_FIRST);
  useLayoutEffect(() => {
    const measured = element.current;
    if (!measured) return;
    const look = () => measured.clientWidth && setWidth(measured.clientWidth);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return width;
}
