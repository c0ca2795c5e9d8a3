// A decision of the organiser's own, where nobody is quite right: an answer of the kind in dispute.

import type { ComponentType } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

import {
  type Disagreement,
  type ErrorSpan,
  PHENOMENA,
  type Phenomenon,
  type SpansValue,
} from "../../generated/annotate";
import { Offsets } from "../../shared/codepoints";
import { NumberField } from "../input/number_field";
import { PhenomenonLine } from "../phases/marks_form";
import { isFlexible, VERDICTS, withPlace } from "../phases/verdicts";
import { sameValue } from "../saving/outbox";
import { Passage } from "../task/passage";
import {
  blank,
  firstGap,
  type Kind,
  type MarkedKind,
  REASONS,
  SAME,
  sameKind,
  type ValueOf,
} from "../task/values";

interface FormProps<K extends Kind> {
  readonly place: Disagreement;
  readonly value: ValueOf<K>;
  readonly set: (value: ValueOf<K>) => void;
}

export function DecisionForm<K extends Kind>(props: {
  place: Disagreement & { readonly kind: string };
  kind: K;
  onDecide: (value: object) => void;
  onClose: () => void;
}) {
  const { place, kind } = props;
  const standing = sameKind<K>(place.decision?.value ?? null);
  const [value, set] = useState<ValueOf<K>>(() => standing ?? undisputed(place, kind));
  const element = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => element.current?.querySelector<HTMLElement>("input, button")?.focus(), []);
  const Fields = FIELDS[kind] as ComponentType<FormProps<K>>;
  const whole = firstGap(kind, value) === null;
  return (
    <form
      class="decision"
      ref={element}
      noValidate
      aria-label="Your own decision"
      onSubmit={(event) => {
        event.preventDefault();
        if (whole) props.onDecide(value);
      }}
    >
      <Fields place={place} value={value} set={set} />
      <div class="verdicts">
        <button type="submit" class="main" disabled={!whole}>
          Decide like this <kbd>Enter</kbd>
        </button>
        <button type="button" class="plain" onClick={props.onClose}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
    </form>
  );
}

/** What all say already; only the rest is left to decide. */
function undisputed<K extends Kind>(place: Disagreement, kind: K): ValueOf<K> {
  const values = place.opinions.map((opinion) => opinion.answer.value);
  const begun = Object.entries(blank(kind)).map(([name, nothing]) => {
    const [first, ...others] = values.map((value) => ({ [name]: value[name] }));
    const agreed = name !== "same_as" && others.every((other) => sameValue(first, other));
    return [name, agreed ? (first?.[name] ?? nothing) : nothing] as const;
  });
  return Object.fromEntries(begun) as unknown as ValueOf<K>;
}

function LineFields({ value, set }: FormProps<"phase1">) {
  return (
    <div class="fields">
      {(["adequacy", "fluency"] as const).map((name) => (
        <NumberField
          key={name}
          label={name === "adequacy" ? "Adequacy" : "Fluency"}
          value={value[name]}
          max={1}
          step={0.1}
          onChange={(next) => set({ ...value, [name]: next })}
        />
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={value.conflicting}
          onChange={() => set({ ...value, conflicting: !value.conflicting })}
        />
        Conflicting markable
      </label>
    </div>
  );
}

function OccurrenceFields({ value, set }: FormProps<"phase2">) {
  const mark = (phenomena: ValueOf<"phase2">["phenomena"]) =>
    set({ ...value, no_error: false, phenomena });
  const tick = (name: Phenomenon) => {
    const { [name]: known, ...others } = value.phenomena;
    mark(known === undefined ? { ...others, [name]: null } : others);
  };
  return (
    <>
      <button
        type="button"
        class="verdict"
        aria-pressed={value.no_error}
        onClick={() => set({ ...value, no_error: !value.no_error, phenomena: {} })}
      >
        No error
      </button>
      <div class="phenomena" role="group" aria-label="Phenomena">
        {PHENOMENA.map(([name, title]) => (
          <PhenomenonLine
            key={name}
            title={title}
            hint={null}
            severity={value.phenomena[name]}
            latest={false}
            onTick={() => tick(name)}
            onRate={(severity) => mark({ ...value.phenomena, [name]: severity })}
          />
        ))}
      </div>
    </>
  );
}

function ScoreField<V extends { readonly score: number | null }>(props: {
  readonly value: V;
  readonly set: (value: V) => void;
}) {
  const { value, set } = props;
  return (
    <div class="fields">
      <NumberField
        label="Score"
        value={value.score}
        max={100}
        step={1}
        onChange={(score) => set({ ...value, score })}
      />
    </div>
  );
}

/** The errors that count are chosen among those that somebody marked. */
function SpanFields({ place, value, set }: FormProps<MarkedKind>) {
  const toggle = (error: ErrorSpan, there: boolean) => {
    const others = value.errors.filter((each) => !sameValue(each, error));
    const errors = there ? others : [...others, error].sort((a, b) => a.start - b.start);
    set({ ...value, errors });
  };
  return (
    <>
      <ul class="marked" aria-label="Errors that count">
        {markedErrors(place).map((error) => {
          const there = value.errors.some((each) => sameValue(each, error));
          return (
            <li key={JSON.stringify(error)}>
              <label class="check">
                <input type="checkbox" checked={there} onChange={() => toggle(error, there)} />
                <bdi>{wordsOf(place, error)}</bdi> {error.severity}
                {error.category && ` · ${error.category}`}
              </label>
            </li>
          );
        })}
      </ul>
      <ScoreField value={value} set={set} />
    </>
  );
}

/** Every error that some annotator marked, each once, in the order of the text. */
function markedErrors(place: Disagreement): ErrorSpan[] {
  const all = place.opinions.flatMap(
    (opinion) => (opinion.answer.value as unknown as SpansValue).errors,
  );
  const each = new Map(all.map((error) => [JSON.stringify(error), error]));
  return [...each.values()].sort((one, other) => one.start - other.start);
}

function wordsOf(place: Disagreement, { start, end, missing, side }: ErrorSpan): string {
  if (missing && side !== "source") return "left out";
  const text = (side === "source" ? place.source : place.output) ?? "";
  const offsets = new Offsets(text);
  const words = text.slice(offsets.unit(start), offsets.unit(end));
  return missing ? `left out: ${words}` : words;
}

function ChainFields({ place, value, set }: FormProps<"consistency">) {
  const { chain, sources } = place.chain ?? { chain: null, sources: [] };
  const [alike, free] = VERDICTS;
  return (
    <>
      <div class="verdicts">
        {[alike, free].map(
          (verdict) =>
            verdict && (
              <button
                key={verdict[0]}
                type="button"
                class="verdict"
                aria-pressed={sameValue(value, verdict[2])}
                onClick={() => set(verdict[2])}
              >
                {verdict[1]}
              </button>
            ),
        )}
      </div>
      <ol class="places">
        {chain?.places.map(({ start, end }, i) => (
          <li key={i}>
            <Passage
              text={sources[i] ?? ""}
              language={null}
              marks={[{ start, end, look: "markable" }]}
            />
            <label class="check">
              <input
                type="checkbox"
                checked={isFlexible(value, i)}
                onChange={() => set(withPlace(value, i, chain.places.length))}
              />
              may differ here
            </label>
          </li>
        ))}
      </ol>
    </>
  );
}

/** Reasons are what annotators gave; a decision says which is better. */
function PreferenceFields({ place, value, set }: FormProps<"preference">) {
  const decide = (better: string) => {
    const agreeing = place.opinions
      .map((each) => sameKind<"preference">(each.answer.value))
      .filter((each) => each?.better === better);
    const given = new Set(agreeing.flatMap((each) => each?.reasons ?? []));
    const reasons = REASONS.map(([name]) => name).filter((name) => given.has(name));
    set({ ...value, better, reasons, note: reasons.length ? "" : "decided by the organiser" });
  };
  return (
    <div class="verdicts">
      {[place.system ?? "", SAME, place.against ?? ""].map((name) => (
        <button
          key={name}
          type="button"
          class="verdict"
          aria-pressed={value.better === name}
          onClick={() => decide(name)}
        >
          {name === SAME ? "Equally good" : <bdi>{name}</bdi>}
        </button>
      ))}
    </div>
  );
}

const FIELDS: { readonly [K in Kind]: ComponentType<FormProps<K>> } = {
  phase1: LineFields,
  phase2: OccurrenceFields,
  da: ScoreField,
  spans: SpanFields,
  contrastive: SpanFields,
  consistency: ChainFields,
  document: ScoreField,
  preference: PreferenceFields,
};
