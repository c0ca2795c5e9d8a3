// Keys for everything. What is on top (a dialog, the choosing of words) hears them alone.

import { useLayoutEffect, useRef } from "preact/hooks";

export interface Shortcut {
  /** As `KeyboardEvent.key`, letters in lower case: "j", "ArrowDown", "ctrl+z", "shift+ArrowLeft". */
  readonly keys: readonly string[];
  readonly label: string;
  readonly run: (key: string) => void;
  /** Not listed, because another entry speaks for it. */
  readonly silent?: boolean;
}

export interface Layer {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
  /** Layers beneath hear nothing. */
  readonly alone?: boolean;
}

const layers: { current: Layer }[] = [];

/** All that can be pressed now, the topmost first. */
export function activeLayers(): Layer[] {
  const found: Layer[] = [];
  for (const { current } of layers.toReversed()) {
    found.push(current);
    if (current.alone) break;
  }
  return found;
}

/** Listens while the component is there. */
export function useShortcuts(layer: Layer, on = true): void {
  const latest = useRef(layer);
  latest.current = layer;
  useLayoutEffect(() => {
    if (!on) return;
    layers.push(latest);
    return () => {
      layers.splice(layers.indexOf(latest), 1);
    };
  }, [on]);
}

/** Begins to hear keys; once for the whole page. */
export function listen(): void {
  addEventListener("keydown", hear);
}

function hear(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const key = named(event);
  if (writing(event) && key !== "Escape") return;
  if (pressing(event) && (event.key === "Enter" || event.key === " ")) return;
  for (const { shortcuts } of activeLayers()) {
    const found = shortcuts.find((each) => each.keys.includes(key));
    if (!found) continue;
    event.preventDefault();
    found.run(key);
    return;
  }
}

function named(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? letter(event).toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return `ctrl+${key}`;
  return event.shiftKey && event.key.length > 1 ? `shift+${key}` : key;
}

/** Where the keyboard writes another script, the key counts, not what is printed on it. */
function letter(event: KeyboardEvent): string {
  const code = /^Key([A-Z])$/.exec(event.code);
  return event.key > "\u007f" && code ? (code[1] as string) : event.key;
}

function writing(event: Event): boolean {
  const target = event.target as Element;
  return target.matches?.("input:not([type=checkbox]), textarea, select") ?? false;
}

function pressing(event: Event): boolean {
  return (event.target as Element).matches?.("button, a[href], summary, input") ?? false;
}

const NAMES: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  "shift+ArrowLeft": "⇧ ←",
  "shift+ArrowRight": "⇧ →",
  "ctrl+z": "Ctrl Z",
  Escape: "Esc",
  PageUp: "PgUp",
  PageDown: "PgDn",
  " ": "Space",
};

/** A key as it is printed. */
export function keyName(key: string): string {
  return NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}
