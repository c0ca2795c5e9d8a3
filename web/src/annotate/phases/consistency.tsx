// Repeated words: must they be translated alike, or may the translation vary?

import { useRef } from "preact/hooks";

import type { ChainView, ConsistencyValue } from "../../generated/annotate";
import type { ShownMark } from "../../shared/marked_text";
import { useFocusHere } from "../input/scale";
import { useSelecting } from "../input/selecting";
import { keyName, useShortcuts } from "../input/shortcuts";
import { sameValue } from "../saving/outbox";
import { Passage } from "../task/passage";
import type { Work } from "../task/work";
import { Workbench } from "../task/workbench";

type ChainWork = Work<"consistency">;

const VERDICTS: readonly (readonly [string, string, ConsistencyValue])[] = [
  ["y", "Must be translated alike", { same: true, unsure: false }],
  ["n", "May be translated differently", { same: false, unsure: false }],
  ["i", "I am not sure", { same: null, unsure: true }],
];

export function Consistency(props: { work: ChainWork }) {
  const { work } = props;
  const { cursor, task } = work;
  const chain = task.chains.find((each) => each.item === cursor.currentRow.item);
  const selecting = useSelecting([]);
  useShortcuts({
    title: "Judging a repeated word",
    shortcuts: VERDICTS.map(([key, label, value]) => ({
      keys: [key],
      label: `${label}, and go on`,
      run: () => {
        work.answers.set([[cursor.currentRow.item, value]]);
        cursor.advance();
      },
    })),
  });
  return (
    <Workbench
      work={work}
      title={task.document}
      unit="Word"
      selecting={selecting}
      marks={(segment) => marksIn(chain, segment)}
    >
      {chain && <Chain key={chain.item} work={work} chain={chain} />}
    </Workbench>
  );
}

function marksIn(chain: ChainView | undefined, segment: number): ShownMark[] {
  return (chain?.places ?? [])
    .filter((place) => place.segment === segment)
    .map(({ start, end }) => ({ start, end, look: "markable" }));
}

function Chain(props: { work: ChainWork; chain: ChainView }) {
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
      <ol class="places">
        {[...new Set(chain.places.map((place) => place.segment))].map((segment) => (
          <li key={segment} value={segment + 1}>
            <Passage
              text={work.task.source[segment] ?? ""}
              language={work.task.source_language}
              marks={marksIn(chain, segment)}
            />
            {work.task.reference?.[segment] && (
              <div class="context">
                <Passage
                  text={work.task.reference[segment] as string}
                  language={work.task.target_language}
                  marks={[]}
                />
              </div>
            )}
          </li>
        ))}
      </ol>
    </article>
  );
}
