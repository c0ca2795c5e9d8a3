// A box above the page: the browser keeps the focus in it, and only its own keys work.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { type Shortcut, useShortcuts } from "../input/shortcuts";

export function Dialog(props: {
  title: string;
  class: string;
  shortcuts: readonly Shortcut[];
  /** Null where something must be chosen. */
  close: (() => void) | null;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const { close } = props;
  useEffect(() => element.current?.showModal(), []);
  const closing = close ? [{ keys: ["Escape"], label: "Close", run: close }] : [];
  useShortcuts({ title: props.title, alone: true, shortcuts: [...props.shortcuts, ...closing] });
  return (
    <dialog
      ref={element}
      class={props.class}
      aria-label={props.title}
      onCancel={(event) => {
        event.preventDefault();
        close?.();
      }}
    >
      {props.children}
    </dialog>
  );
}
