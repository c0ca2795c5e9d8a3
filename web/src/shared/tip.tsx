// One tooltip for the whole page, shown on hover and on focus, described to screen readers.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Shown {
  readonly anchor: Element;
  readonly content: ComponentChildren;
}

let publish: (shown: Shown | null) => void = () => undefined;

const ID = "tip";

export function showTip(anchor: Element, content: ComponentChildren): void {
  anchor.setAttribute("aria-describedby", ID);
  publish({ anchor, content });
}

export function hideTip(anchor?: Element): void {
  anchor?.removeAttribute("aria-describedby");
  publish(null);
}

interface TipHandlers {
  readonly onMouseEnter: (event: Event) => void;
  readonly onMouseLeave: (event: Event) => void;
  readonly onFocus: (event: Event) => void;
  readonly onBlur: (event: Event) => void;
}

/** What an element needs to have a tip: `<td {...tip(() => ...)}>`. */
export function tip(content: () => ComponentChildren): TipHandlers {
  const show = (event: Event) => showTip(event.currentTarget as Element, content());
  const hide = (event: Event) => hideTip(event.currentTarget as Element);
  return { onMouseEnter: show, onFocus: show, onMouseLeave: hide, onBlur: hide };
}

const GAP = 8;

export function TipHost() {
  const [shown, setShown] = useState<Shown | null>(null);
  const box = useRef<HTMLDivElement>(null);
  publish = setShown;
  useLayoutEffect(() => {
    if (!shown) return;
    const close = (event: KeyboardEvent) => event.key === "Escape" && setShown(null);
    addEventListener("keydown", close);
    place(box.current, shown.anchor);
    return () => removeEventListener("keydown", close);
  }, [shown]);
  return (
    <div id={ID} role="tooltip" class="tip" ref={box} hidden={!shown}>
      {shown?.content}
    </div>
  );
}

/** Above the anchor if there is room, else below; never off the screen. */
function place(box: HTMLElement | null, anchor: Element): void {
  if (!box) return;
  const at = anchor.getBoundingClientRect();
  const own = box.getBoundingClientRect();
  const middle = at.left + at.width / 2 - own.width / 2;
  const left = Math.max(GAP, Math.min(middle, innerWidth - own.width - GAP));
  const above = at.top - own.height - GAP;
  box.style.left = `${left}px`;
  box.style.top = `${above > GAP ? above : at.bottom + GAP}px`;
}
