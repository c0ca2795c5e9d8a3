// A whole document in each translation, and a score for it: a task of its own, or the end of one.

import type { ShownMark } from "../../shared/marked_text";
import { Scale } from "../input/scale";
import { Passage } from "../task/passage";
import { RowFrame } from "../task/row";
import type { Row } from "../task/screens";
import type { MarkedKind } from "../task/values";
import type { Work } from "../task/work";

export type ScoredKind = "da" | MarkedKind | "document";

export function WholeRow<K extends ScoredKind>(props: {
  work: Work<K>;
  row: Row;
  index: number;
  onScore: (row: Row, score: number) => void;
  /** What was marked in a segment on the way. */
  marks?: (segment: number, slot: string) => readonly ShownMark[];
}) {
  const { work, row, index } = props;
  const { cursor } = work;
  const slot = row.slot ?? "";
  return (
    <RowFrame work={work} index={index} row={row}>
      <WholeText
        lines={work.task.outputs[slot] ?? []}
        language={work.task.target_language}
        marks={(segment) => props.marks?.(segment, slot) ?? []}
      />
      <div class="controls">
        <Scale
          label="Whole document"
          value={work.answers.value(row.item)?.score ?? null}
          max={100}
          step={1}
          here={cursor.row === index}
          meaning={cursor.row === index ? work.task.scale : []}
          onChange={(next) => props.onScore(row, next)}
          onFocus={() => cursor.go({ row: index, field: 0 })}
        />
      </div>
    </RowFrame>
  );
}

export function WholeText(props: {
  lines: readonly (string | null)[];
  language: string | null;
  marks?: (segment: number) => readonly ShownMark[];
}) {
  return (
    <div class="whole-text">
      {props.lines.map(
        (text, segment) =>
          text !== null && (
            <Passage
              key={segment}
              text={text}
              language={props.language}
              marks={props.marks?.(segment) ?? []}
            />
          ),
      )}
    </div>
  );
}

/** Said above the rows where a task comes to its end. */
export function WholeQuestion() {
  return (
    <p class="whole-question">
      Now the document as a whole: how good is each translation from beginning to end?
    </p>
  );
}
