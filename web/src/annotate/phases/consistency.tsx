// Repeated words: must they be translated alike, or may the translation vary, and where?

import { useRef } from "preact/hooks";

import type { ChainPlace, ChainView, ConsistencyValue } from "../../generated/annotate";
import type { ShownMark } from "../../shared/marked_text";
import { useFocusHere } from "../input/scale";
import { useSelecting } from "../input/selecting";
import { keyName, useShortcuts } from "../input/shortcuts";
import { sameValue } from "../saving/outbox";
import { Passage } from "../task/passage";
import type { Work } from "../task/work";
import { Workbench } from "../task/workbench";
import { isFlexible, VERDICTS, withPlace } from "./verdicts";

type ChainWork = Work<"consistency">;

const NUMBERS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

export function Consistency(props: { work: ChainWork }) {
  const { work } = props;
  const { cursor, task } = work;
  const chain = task.chains.find((each) => each.item === cursor.currentRow.item);
  const selecting = useSelecting([]);
  const toggle = (place: number) => {
    if (!chain || place >= chain.places.length) return;
    const value = work.answers.value(chain.item);
    work.answers.set([[chain.item, withPlace(value, place, chain.places.length)]]);
  };
  useShortcuts({
    title: "Judging a repeated word",
    shortcuts: [
      ...VERDICTS.map(([key, label, value]) => ({
        keys: [key],
        label: `${label}, and go on`,
        run: () => {
          work.answers.set([[cursor.currentRow.item, value]]);
          cursor.advance();
        },
      })),
      {
        keys: NUMBERS,
        label: "Only this place may differ, or these",
        run: (key) => toggle(NUMBERS.indexOf(key)),
      },
    ],
  });
  return (
    <Workbench
      work={work}
      title={task.document}
      unit="Word"
      selecting={selecting}
      marks={(segment) => marksIn(chain, segment)}
    >
      {chain && <Chain key={chain.item} work={work} chain={chain} onToggle={toggle} />}
    </Workbench>
  );
}

function marksIn(chain: ChainView | undefined, segment: number): ShownMark[] {
  return (chain?.places ?? []).filter((place) => place.segment === segment).map(markOf);
}

function markOf({ start, end }: ChainPlace): ShownMark {
  return { start, end, look: "markable" };
}

function Chain(props: { work: ChainWork; chain: ChainView; onToggle: (place: number) => void }) {
  const { work, chain } = props;
  const value = work.answers.value(chain.item);
  const element = useRef<HTMLElement>(null);
  useFocusHere(element, true);
  return (
    <article class="chain" ref={element} tabIndex={-1} aria-label={chain.word}>
      <h2>
        <bdi>{chain.word}</bdi>
      </h2>
      <p class="soft">
        {chain.places.length} times in this document; translated by people as{" "}
        <bdi>{chain.translation}</bdi>
      </p>
      <p class="question">Must a translation use the same word every time?</p>
      <div class="verdicts">
        {VERDICTS.map(([key, label, verdict]) => (
          <button
            key={key}
            type="button"
            class="verdict"
            aria-pressed={sameValue(value, verdict)}
            onClick={() => work.answers.set([[chain.item, verdict]])}
          >
            {label} <kbd>{keyName(key)}</kbd>
          </button>
        ))}
      </div>
      <p class="soft hint">
        Or tick the places where another word would do as well.
        {value && value.flexible.length > 0 && (
          <strong>
            {" "}
            {value.flexible.length} of {chain.places.length} may differ.
          </strong>
        )}
      </p>
      <ol class="places">
        {chain.places.map((place, i) => (
          <PlaceLine
            key={i}
            work={work}
            place={place}
            number={i}
            value={value}
            onToggle={() => props.onToggle(i)}
          />
        ))}
      </ol>
    </article>
  );
}

function PlaceLine(props: {
  work: ChainWork;
  place: ChainPlace;
  number: number;
  value: ConsistencyValue | null;
  onToggle: () => void;
}) {
  const { work, place, number } = props;
  const { task } = work;
  const flexible = isFlexible(props.value, number);
  const key = NUMBERS[number];
  const marks = place.targets.map(([start, end]) => ({ start, end, look: "markable" }));
  return (
    <li class={flexible ? "flexible" : ""} value={place.segment + 1}>
      <Passage
        text={task.source[place.segment] ?? ""}
        language={task.source_language}
        marks={[markOf(place)]}
      />
      {place.target !== null && (
        <div class="context">
          <Passage text={place.target} language={task.target_language} marks={marks} />
        </div>
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={flexible}
          aria-label={`May differ at place ${number + 1}`}
          onChange={props.onToggle}
        />
        may differ here {key && <kbd>{key}</kbd>}
      </label>
    </li>
  );
}
