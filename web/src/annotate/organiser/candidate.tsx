// The candidate that the organiser looks at: its name, its places, and what becomes of it.

import { useLayoutEffect, useRef } from "preact/hooks";

import type { CandidateView, PlaceView } from "../../generated/annotate";
import { Offsets } from "../../shared/codepoints";
import { TextField } from "../input/text_field";
import { type List, merge, save } from "./list";
import type { State } from "./markables";

const STATES: readonly (readonly [State, string, string])[] = [
  ["accepted", "Accept", "A"],
  ["rejected", "Reject", "X"],
  ["proposed", "Leave open", "P"],
];

export function CandidateForm(props: {
  list: List;
  candidate: CandidateView;
  decide: (state: State) => void;
}) {
  const { list, candidate } = props;
  const { markable } = candidate;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.scrollIntoView({ block: "nearest" }), []);
  const rename = (head: string) => {
    const name = head.trim();
    if (name && name !== markable.head) {
      void save(list, [[candidate, { ...markable, head: name }]]);
    }
  };
  return (
    <div class="candidate-form" ref={element}>
      <div class="verdicts">
        {STATES.map(([state, name, key]) => (
          <button
            key={state}
            type="button"
            class="verdict"
            aria-pressed={markable.state === state}
            onClick={() => props.decide(state)}
          >
            {name} <kbd>{key}</kbd>
          </button>
        ))}
      </div>
      <label class="note">
        Name
        <TextField value={markable.head} maxLength={500} onDone={rename} />
      </label>
      <Merger list={list} candidate={candidate} />
      {markable.origin && <p class="soft">{markable.origin}</p>}
      <Places list={list} candidate={candidate} />
    </div>
  );
}

function Merger(props: { list: List; candidate: CandidateView }) {
  const { list, candidate } = props;
  const others = list.document.candidates.filter(
    (each) => each.item !== candidate.item && each.markable.state !== "rejected",
  );
  if (others.length === 0) return null;
  return (
    <label class="note">
      Merge into
      <select
        value=""
        onChange={(event) => {
          const kept = others.find((each) => each.item === event.currentTarget.value);
          if (kept) merge(list, candidate, kept);
        }}
      >
        <option value="">…</option>
        {others.map((each) => (
          <option key={each.item} value={each.item}>
            {each.markable.head}
          </option>
        ))}
      </select>
    </label>
  );
}

function Places(props: { list: List; candidate: CandidateView }) {
  const { list, candidate } = props;
  const { markable } = candidate;
  const remove = (gone: PlaceView) =>
    void save(list, [
      [
        candidate,
        { ...markable, occurrences: markable.occurrences.filter((each) => each !== gone) },
      ],
    ]);
  return (
    <ul class="chips" aria-label="Places">
      {markable.occurrences.map((place) => (
        <li key={`${place.segment} ${place.start} ${place.end}`}>
          <span class="soft">{place.segment + 1}</span>
          <bdi>{wordsAt(list.document.source[place.segment] ?? "", place)}</bdi>
          {markable.occurrences.length > 1 && (
            <button
              type="button"
              aria-label={`Remove the place in line ${place.segment + 1}`}
              onClick={() => remove(place)}
            >
              ×
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function wordsAt(text: string, { start, end }: PlaceView): string {
  const offsets = new Offsets(text);
  return text.slice(offsets.unit(start), offsets.unit(end));
}
