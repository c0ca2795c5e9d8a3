// Every occurrence in every translation at a glance: the words that stand for it, and the verdict.

import { useEffect, useRef } from "preact/hooks";

import { Offsets } from "../../shared/codepoints";
import type { Place } from "../../generated/annotate";
import { firstGap } from "../task/values";
import { type OccurrenceWork, targetOf } from "./marks";

export function Concordance(props: { work: OccurrenceWork }) {
  const { work } = props;
  const { task, cursor, screens } = work;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [cursor.screen, cursor.row]);
  return (
    <section class="below concordance" aria-label="All occurrences" tabIndex={0} ref={box}>
      <table style={{ minInlineSize: `${12 + 5.5 * task.slots.length}rem` }}>
        <thead>
          <tr>
            <th scope="col">Source</th>
            {task.slots.map((slot) => (
              <th key={slot} scope="col">
                {slot}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {screens.map((screen, at) => (
            <tr key={at} class={at === cursor.screen ? "current" : ""}>
              <th scope="row">
                <span class="soft">{screen.segment + 1}</span>{" "}
                <bdi>{sourceWords(work, screen.number)}</bdi>
              </th>
              {screen.rows.map((row, i) => (
                <Cell
                  key={row.item}
                  work={work}
                  item={row.item}
                  text={row.text}
                  words={wordsAt(row.text, targetOf(work, screen.number, row.slot as string))}
                  first={wordsAt(
                    screens[0]?.rows[i]?.text ?? null,
                    targetOf(work, screens[0]?.number ?? 0, row.slot as string),
                  )}
                  here={at === cursor.screen && i === cursor.row}
                  onGo={() => cursor.go({ screen: at, row: i, field: 0 })}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell(props: {
  work: OccurrenceWork;
  item: string;
  text: string | null;
  words: string;
  first: string;
  here: boolean;
  onGo: () => void;
}) {
  const value = props.work.answers.value(props.item);
  const open = firstGap("phase2", value) !== null;
  const verdict = open ? "" : value?.no_error ? " fine" : " wrong";
  const differs = props.words && props.words.toLowerCase() !== props.first.toLowerCase();
  return (
    <td class={`${props.here ? "here" : ""}${verdict}${differs ? " differs" : ""}`}>
      <button type="button" tabIndex={-1} onClick={props.onGo}>
        <bdi>{props.words || (props.text === null ? "∅" : "–")}</bdi>
      </button>
    </td>
  );
}

function sourceWords(work: OccurrenceWork, occurrence: number): string {
  const place = work.task.markable?.occurrences[occurrence];
  return place ? wordsAt(work.task.source[place.segment] ?? "", [place]) : "";
}

function wordsAt(text: string | null, places: readonly Place[]): string {
  if (text === null || places.length === 0) return "";
  const offsets = new Offsets(text);
  const parts = places.map(({ start, end }) => text.slice(offsets.unit(start), offsets.unit(end)));
  return parts.join(" … ");
}
