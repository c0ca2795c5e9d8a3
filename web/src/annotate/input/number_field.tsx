// A number to type; what does not lie on the scale is no number.

import { useState } from "preact/hooks";

export function NumberField(props: {
  label: string;
  value: number | null;
  /** From 0 to here. */
  max: number;
  step: number;
  onChange: (value: number | null) => void;
}) {
  const { max } = props;
  const [text, setText] = useState(props.value === null ? "" : String(props.value));
  const value = onScale(text, max);
  return (
    <label class="number-field">
      {props.label}
      <input
        type="number"
        min={0}
        max={max}
        step={props.step}
        value={text}
        aria-invalid={text !== "" && value === null}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          props.onChange(onScale(typed, max));
        }}
      />
      <span class="soft">0 to {max}</span>
    </label>
  );
}

/** The number that was typed, if it lies on the scale. */
export function onScale(text: string, max: number): number | null {
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return number >= 0 && number <= max ? number : null;
}
