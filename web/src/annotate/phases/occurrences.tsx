// Phase 2: one occurrence of a markable in all translations, with the occurrence before it.

import { useRef } from "preact/hooks";

import type { ShownMark } from "../../shared/marked_text";
import { useFocusHere } from "../input/scale";
import { type SelectionAction, useSelecting } from "../input/selecting";
import { OUTPUT, type Selected, wholeWords } from "../input/selection";
import { excerpt } from "../task/excerpt";
import { Passage } from "../task/passage";
import { RowFrame } from "../task/row";
import type { Row } from "../task/screens";
import { change } from "../task/work";
import { Workbench } from "../task/workbench";
import { Concordance } from "./concordance";
import { type Judging, useJudging } from "./judging";
import { joined, type OccurrenceWork, targetOf } from "./marks";
import { MarksForm, MarksSummary } from "./marks_form";

export function Occurrences(props: { work: OccurrenceWork }) {
  const { work } = props;
  const { current } = work.cursor;
  const selecting = useSelecting(wordActions(work));
  const judging = useJudging(work, selecting);
  return (
    <Workbench
      work={work}
      title={work.task.markable?.head ?? work.task.document}
      unit="Occurrence"
      selecting={selecting}
      marks={(segment) => sourceMarks(work, segment)}
      above={<SourcePair work={work} />}
      below={<Concordance work={work} />}
    >
      {current.rows.map((row, index) => (
        <OccurrenceRow key={row.item} work={work} row={row} index={index} judging={judging} />
      ))}
    </Workbench>
  );
}

/** Selected words become the words that stand for the markable, or are added to them. */
function wordActions(work: OccurrenceWork): SelectionAction[] {
  const { current } = work.cursor;
  const rowOf = (selected: Selected) =>
    current.rows.find((row) => selected.place === OUTPUT(row.slot ?? ""));
  const applies = (selected: Selected) => rowOf(selected) !== undefined;
  const set = (add: boolean) => (selected: Selected) => {
    const row = rowOf(selected) as Row;
    const before = add ? targetOf(work, current.number, row.slot as string) : [];
    change(work, row, { target: joined(before, wholeWords(row.text ?? "", selected)) });
  };
  return [
    { keys: ["Enter"], label: "These are the words", applies, run: set(false) },
    { keys: ["+"], label: "These too", applies, run: set(true) },
  ];
}

/** The present occurrence strongly, the others softly. */
function sourceMarks(work: OccurrenceWork, segment: number): ShownMark[] {
  const { number } = work.cursor.current;
  return (work.task.markable?.occurrences ?? []).flatMap((each, i) =>
    each.segment === segment
      ? [{ start: each.start, end: each.end, look: i === number ? "markable" : "elsewhere" }]
      : [],
  );
}

function SourcePair(props: { work: OccurrenceWork }) {
  const { work } = props;
  const { number, segment } = work.cursor.current;
  const before = work.task.markable?.occurrences[number - 1]?.segment;
  const language = work.task.source_language;
  const text = (at: number) => work.task.source[at] ?? "";
  return (
    <div class="pair source-pair" aria-label="Source" role="group">
      {before !== undefined && before !== segment && (
        <div class="before">
          <h2>Before</h2>
          <Passage
            {...excerpt(text(before), sourceMarks(work, before), "elsewhere")}
            language={language}
          />
        </div>
      )}
      <div class="now">
        <h2>
          {before === segment ? "Now, again in this line" : before === undefined ? "First" : "Now"}
        </h2>
        <Passage text={text(segment)} language={language} marks={sourceMarks(work, segment)} />
      </div>
    </div>
  );
}

function OccurrenceRow(props: { work: OccurrenceWork; row: Row; index: number; judging: Judging }) {
  const { work, row, index } = props;
  const here = work.cursor.row === index;
  const element = useRef<HTMLDivElement>(null);
  useFocusHere(element, here);
  return (
    <RowFrame work={work} index={index} row={row}>
      <div class="pair">
        <Before work={work} row={row} />
        <div class="now own" data-place={OUTPUT(row.slot ?? "")}>
          <Passage
            text={row.text ?? ""}
            language={work.task.target_language}
            marks={targetMarks(work, work.cursor.current.number, row.slot as string)}
          />
        </div>
      </div>
      <div ref={element} tabIndex={-1} class="judgement" role="group" aria-label="Judgement">
        {here ? (
          <MarksForm work={work} row={row} judging={props.judging} />
        ) : (
          <MarksSummary work={work} row={row} />
        )}
      </div>
    </RowFrame>
  );
}

function Before(props: { work: OccurrenceWork; row: Row }) {
  const { work, row } = props;
  const { number, segment } = work.cursor.current;
  const at = work.task.markable?.occurrences[number - 1]?.segment;
  const text = at === undefined || at === segment ? null : work.task.outputs[row.slot ?? ""]?.[at];
  if (text === null || text === undefined) return null;
  const part = excerpt(text, targetMarks(work, number - 1, row.slot as string), "markable");
  return (
    <div class="before">
      <Passage {...part} language={work.task.target_language} />
    </div>
  );
}

/** The words of an occurrence, and softly those of the others in the same line. */
function targetMarks(work: OccurrenceWork, occurrence: number, slot: string): ShownMark[] {
  const occurrences = work.task.markable?.occurrences ?? [];
  const segment = occurrences[occurrence]?.segment;
  return occurrences.flatMap((each, i) =>
    each.segment === segment
      ? targetOf(work, i, slot).map(({ start, end }) => ({
          start,
          end,
          look: i === occurrence ? "markable" : "elsewhere",
        }))
      : [],
  );
}
