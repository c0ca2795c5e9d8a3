// A line of text that is somebody's own until they leave it: news from elsewhere redraws the page
// while they write, and must not put the last saved text back.

import { useState } from "preact/hooks";

export interface TextFieldProps {
  readonly value: string;
  readonly maxLength: number;
  /** Takes the keyboard as soon as it is there. */
  readonly open?: boolean;
  /** Hears the text when they leave it, changed or not. */
  readonly onDone: (text: string) => void;
}

export function TextField(props: TextFieldProps) {
  const [draft, setDraft] = useState<string | null>(null);
  return (
    <input
      type="text"
      dir="auto"
      maxLength={props.maxLength}
      value={draft ?? props.value}
      ref={(element) => {
        if (props.open && element !== document.activeElement) element?.focus();
      }}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onBlur={(event) => {
        props.onDone(event.currentTarget.value);
        setDraft(null);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
