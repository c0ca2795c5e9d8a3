// Two translations of a document side by side: which is better, and why?

import { useRef } from "preact/hooks";

import type { PreferenceValue } from "../../generated/annotate";
import { useFocusHere } from "../input/scale";
import { useSelecting } from "../input/selecting";
import { keyName, useShortcuts } from "../input/shortcuts";
import { TextField } from "../input/text_field";
import { itemParts } from "../task/screens";
import { REASONS, SAME } from "../task/values";
import { change, valueOf, type Work } from "../task/work";
import { Workbench } from "../task/workbench";
import { WholeText } from "./whole";

type PairWork = Work<"preference">;
type Reason = PreferenceValue["reasons"][number];

const REASON_KEYS = ["1", "2", "3", "4", "5", "6"];

export function Preferences(props: { work: PairWork }) {
  const { work } = props;
  const { task, cursor } = work;
  const row = cursor.currentRow;
  const pair = task.pairs[itemParts(row.item).number] ?? ["", ""];
  const selecting = useSelecting([]);
  const prefer = (better: string) => change(work, row, { better });
  const toggle = (reason: Reason) => {
    const { reasons } = valueOf(work, row);
    const others = reasons.filter((each) => each !== reason);
    change(work, row, { reasons: others.length < reasons.length ? others : [...reasons, reason] });
  };
  useShortcuts({
    title: "Preferring a translation",
    shortcuts: [
      { keys: ["ArrowLeft"], label: "The left one is better", run: () => prefer(pair[0]) },
      { keys: ["ArrowRight"], label: "The right one is better", run: () => prefer(pair[1]) },
      { keys: ["e"], label: "Equally good", run: () => prefer(SAME) },
      {
        keys: REASON_KEYS,
        label: "The reasons, in their order",
        run: (key) => {
          const found = REASONS[REASON_KEYS.indexOf(key)];
          if (found) toggle(found[0]);
        },
      },
    ],
  });
  return (
    <Workbench work={work} title={task.document} unit="Pair" selecting={selecting} marks={() => []}>
      <div class="two" key={row.item}>
        {pair.map((slot) => (
          <Side key={slot} work={work} slot={slot} />
        ))}
      </div>
      <Verdict
        key={`${row.item} verdict`}
        work={work}
        pair={pair}
        prefer={prefer}
        toggle={toggle}
      />
    </Workbench>
  );
}

function Side(props: { work: PairWork; slot: string }) {
  const { task, cursor } = props.work;
  const chosen = valueOf(props.work, cursor.currentRow).better === props.slot;
  return (
    <article class={chosen ? "side chosen" : "side"} aria-label={`Translation ${props.slot}`}>
      <h2 class="slot">
        <span>{props.slot}</span>
      </h2>
      <WholeText lines={task.outputs[props.slot] ?? []} language={task.target_language} />
    </article>
  );
}

function Verdict(props: {
  work: PairWork;
  pair: readonly [string, string];
  prefer: (better: string) => void;
  toggle: (reason: Reason) => void;
}) {
  const { work, pair } = props;
  const row = work.cursor.currentRow;
  const value = valueOf(work, row);
  const element = useRef<HTMLDivElement>(null);
  useFocusHere(element, true);
  const choices = [
    [pair[0], `${pair[0]} is better`, "ArrowLeft"],
    [SAME, "Equally good", "e"],
    [pair[1], `${pair[1]} is better`, "ArrowRight"],
  ] as const;
  return (
    <div class="preference" ref={element} tabIndex={-1} role="group" aria-label="Which is better?">
      <div class="verdicts">
        {choices.map(([name, label, key]) => (
          <button
            key={name}
            type="button"
            class="verdict"
            aria-pressed={value.better === name}
            onClick={() => props.prefer(name)}
          >
            {label} <kbd>{keyName(key)}</kbd>
          </button>
        ))}
      </div>
      <fieldset>
        <legend>{value.better === SAME ? "Why, if you can say" : "Why?"}</legend>
        {REASONS.map(([name, label], i) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={value.reasons.includes(name)}
              onChange={() => props.toggle(name)}
            />
            {label} <kbd>{REASON_KEYS[i]}</kbd>
          </label>
        ))}
      </fieldset>
      <label class="note">
        In your words
        <TextField
          value={value.note}
          maxLength={10_000}
          onDone={(note) => {
            if (note !== value.note) change(work, row, { note });
          }}
        />
      </label>
    </div>
  );
}
