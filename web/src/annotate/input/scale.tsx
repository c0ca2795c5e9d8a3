// A scale on which nothing is chosen until somebody chooses: no answer is not an answer of 0.

import type { RefObject, TargetedPointerEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface ScaleMeaning {
  readonly at: number;
  readonly words: string;
}

export interface ScaleProps {
  readonly label: string;
  readonly value: number | null;
  /** From 0 to here. */
  readonly max: number;
  readonly step: number;
  /** Where the keyboard is. */
  readonly here: boolean;
  /** What some of its numbers mean, said below it. */
  readonly meaning?: readonly ScaleMeaning[];
  readonly onChange: (value: number) => void;
  readonly onFocus: () => void;
}

export function Scale(props: ScaleProps) {
  const { value, max, step } = props;
  const element = useRef<HTMLDivElement>(null);
  useFocusHere(element, props.here);
  const set = (next: number) => {
    props.onChange(rounded(Math.max(0, Math.min(max, next)), step));
  };
  const press = (event: KeyboardEvent) => {
    const change = changeBy(event.key, value, max, step, direction(element.current));
    if (change === null || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    set(change);
  };
  const pointing = usePointing((share) => set(share * max));
  return (
    <div
      class={`scale${value === null ? " open" : ""}${max > 1 ? " wide" : ""}`}
      ref={element}
      role="slider"
      tabIndex={0}
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value ?? 0}
      aria-valuetext={value === null ? "not rated" : shown(value, step)}
      onKeyDown={press}
      onFocus={props.onFocus}
    >
      <span class="name">{props.label}</span>
      <span class="track" aria-hidden="true" {...pointing}>
        <span class="fill" style={{ inlineSize: `${((value ?? 0) / max) * 100}%` }} />
        {ticks(max, step).map((tick) => (
          <span
            key={tick}
            class={value !== null && tick <= value ? "tick under" : "tick"}
            style={{ insetInlineStart: `${(tick / max) * 100}%` }}
          />
        ))}
        {value !== null && (
          <span class="thumb" style={{ insetInlineStart: `${(value / max) * 100}%` }} />
        )}
      </span>
      <span class="number">{value === null ? "–" : shown(value, step)}</span>
      {props.meaning && props.meaning.length > 0 && (
        <span class="meaning" aria-hidden="true">
          {props.meaning.map(({ at, words }) => (
            <span
              key={at}
              class={at === 0 ? "first" : at === max ? "last" : ""}
              style={{ insetInlineStart: `${(at / max) * 100}%` }}
            >
              {words}
            </span>
          ))}
        </span>
      )}
    </div>
  );
}

type Pointed = TargetedPointerEvent<HTMLElement>;

const MEANT = 8; // pixels along the track, so that whoever scrolls past scores nothing

/** Mouse and pen set a value where they go down; fingers where they tap, or as they draw along. */
function usePointing(set: (share: number) => void) {
  const touched = useRef<number | null>(null);
  const point = (event: Pointed) => set(shareAt(event.currentTarget, event.clientX));
  return {
    onPointerDown: (event: Pointed) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      touched.current = event.pointerType === "touch" ? event.clientX : null;
      if (touched.current === null) point(event);
    },
    onPointerMove: (event: Pointed) => {
      if (event.buttons !== 1) return;
      if (touched.current !== null && Math.abs(event.clientX - touched.current) < MEANT) return;
      touched.current = null;
      point(event);
    },
    onPointerUp: (event: Pointed) => {
      if (touched.current !== null) point(event);
      touched.current = null;
    },
    onPointerCancel: () => {
      touched.current = null;
    },
  };
}

/** Takes the focus when the cursor comes, and shows where it is. */
export function useFocusHere(element: RefObject<HTMLElement | null>, here: boolean): void {
  useLayoutEffect(() => {
    const target = element.current;
    if (!here || !target || target.contains(document.activeElement)) return;
    target.focus({ preventScroll: true });
    (target.closest(".row") ?? target).scrollIntoView({ block: "nearest" });
  }, [here]);
}

/** What a key makes of a value; null where it means nothing here. */
export function changeBy(
  key: string,
  value: number | null,
  max: number,
  step: number,
  reading: string,
): number | null {
  const forward = reading === "rtl" ? "ArrowLeft" : "ArrowRight";
  const back = reading === "rtl" ? "ArrowRight" : "ArrowLeft";
  if (key === forward) return value === null ? max / 2 : value + step;
  if (key === back) return value === null ? max / 2 : value - step;
  return null;
}

/** Where on a track a pointer is, from 0 to 1. */
export function shareAt(track: Element, x: number): number {
  const box = track.getBoundingClientRect();
  const share = Math.max(0, Math.min(1, (x - box.left) / box.width));
  return direction(track) === "rtl" ? 1 - share : share;
}

function direction(element: Element | null): string {
  return element ? getComputedStyle(element).direction : "ltr";
}

function ticks(max: number, step: number): number[] {
  const count = Math.min(10, Math.round(max / step));
  return Array.from({ length: count + 1 }, (_, i) => (i / count) * max);
}

function rounded(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(4));
}

function shown(value: number, step: number): string {
  return step < 1 ? value.toFixed(step < 0.1 ? 2 : 1) : String(value);
}
