// A long list of which only what can be seen is drawn.

import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

export interface Window {
  readonly first: number;
  readonly last: number;
  readonly before: number;
  readonly after: number;
}

/** Which rows of a fixed height are in view of the scrolling element, and the space around. */
export function useWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  height: number,
  margin = 12,
): Window {
  const [range, setRange] = useState({ first: 0, last: Math.min(count, 60) });
  const printing = usePrinting();
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / height) - margin);
      const seen = Math.ceil(element.clientHeight / height) + 2 * margin;
      const last = Math.min(count, first + seen);
      setRange((now) => (now.first === first && now.last === last ? now : { first, last }));
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const resized = new ResizeObserver(look);
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      resized.disconnect();
    };
  }, [count, height]);
  if (printing) return { first: 0, last: count, before: 0, after: 0 };
  const last = Math.min(range.last, count);
  const first = Math.min(range.first, last);
  return { first, last, before: first * height, after: (count - last) * height };
}

/** True while the page is being printed, when everything must be there. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const query = matchMedia("print");
    const follow = () => setPrinting(query.matches);
    const start = () => setPrinting(true);
    const end = () => setPrinting(false);
    query.addEventListener("change", follow);
    addEventListener("beforeprint", start);
    addEventListener("afterprint", end);
    return () => {
      query.removeEventListener("change", follow);
      removeEventListener("beforeprint", start);
      removeEventListener("afterprint", end);
    };
  }, []);
  return printing;
}

/**
 * Draws its children when they come near the screen, and keeps a place for them until then;
 * `now` draws them at once.
 */
export function WhenNear(props: {
  height: number;
  now?: boolean;
  children: () => ComponentChildren;
}) {
  const [near, setNear] = useState(false);
  const [element, setElement] = useState<HTMLElement | null>(null);
  const printing = usePrinting();
  useEffect(() => {
    if (!element || near) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setNear(true),
      { rootMargin: "1200px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element, near]);
  if (near || printing || props.now) return <>{props.children()}</>;
  return <div ref={setElement} style={{ height: `${props.height}px` }} aria-hidden="true" />;
}

const STEP = 30;

/** A list that is read from the top: more of it is drawn as its end comes near. */
export function Growing(props: {
  count: number;
  /** What stands at the end: an item, inside a list. */
  end?: "div" | "li";
  children: (shown: number) => ComponentChildren;
}) {
  const [shown, setShown] = useState(STEP);
  const [end, setEnd] = useState<HTMLElement | null>(null);
  const more = shown < props.count;
  useEffect(() => {
    if (!end || !more) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setShown((now) => now + STEP),
      { rootMargin: "1500px" },
    );
    observer.observe(end);
    return () => observer.disconnect();
  }, [end, more, shown]);
  return (
    <>
      {props.children(Math.min(shown, props.count))}
      {props.end === "li" ? <li ref={setEnd} /> : <div ref={setEnd} />}
    </>
  );
}
