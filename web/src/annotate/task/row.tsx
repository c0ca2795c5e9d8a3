// One translation on the screen: its letter, its text, and what there is to say about it.

import type { ComponentChildren } from "preact";

import type { ShownMark } from "../../shared/marked_text";
import { OUTPUT } from "../input/selection";
import { beginning, ending } from "./excerpt";
import { Passage } from "./passage";
import { asks, lettersOf, type Row, together } from "./screens";
import { firstGap, halfDone, type Kind } from "./values";
import { valueOf, type Work } from "./work";

export function RowFrame<K extends Kind>(props: {
  work: Work<K>;
  index: number;
  row: Row;
  children: ComponentChildren;
}) {
  const { work, index, row } = props;
  const here = work.cursor.row === index;
  if (work.focused && !here) return null;
  const kind = work.answers.task.kind;
  const done = asks(row) && firstGap(kind, valueOf(work, row)) === null;
  const half = asks(row) && halfDone(kind, work.answers.value(row.item));
  const look = `row${here ? " here" : ""}${done ? " answered" : half ? " half" : ""}`;
  const enter = () => {
    if (!here && getSelection()?.isCollapsed !== false) work.cursor.go({ row: index, field: 0 });
  };
  return (
    <article class={look} aria-label={`Translation ${lettersOf(row)}`} onClick={enter}>
      <h2 class="slot">
        {together(row).map(({ slot }) => (
          <span key={slot}>{slot}</span>
        ))}
        {half && (
          <small role="img" aria-label="half done" title="Half done: something is not answered yet">
            ½
          </small>
        )}
      </h2>
      <div class="content">{asks(row) ? props.children : <NothingHere />}</div>
    </article>
  );
}

function NothingHere() {
  return <p class="soft">This translation has nothing here.</p>;
}

const AROUND = 2;

/** The text of a row; with the lines around it where the annotator is. */
export function RowText<K extends Kind>(props: {
  work: Work<K>;
  row: Row;
  here: boolean;
  marks: readonly ShownMark[];
}) {
  const { work, row } = props;
  const { segment } = work.cursor.current;
  const lines = row.slot === null ? [] : (work.task.outputs[row.slot] ?? []);
  const language = work.task.target_language;
  const around = work.wide ? lines.length : AROUND;
  const context = (from: number, to: number, part: (text: string) => string) =>
    props.here &&
    lines
      .slice(Math.max(0, from), Math.max(0, to))
      .map(
        (text, i) =>
          text && (
            <Passage key={i} text={work.wide ? text : part(text)} language={language} marks={[]} />
          ),
      );
  return (
    <div class="texts">
      <div class="context">{context(segment - around, segment, ending)}</div>
      <div class="own" data-place={OUTPUT(row.slot ?? "")}>
        <Passage text={row.text ?? ""} language={language} marks={props.marks} />
      </div>
      <div class="context">{context(segment + 1, segment + 1 + around, beginning)}</div>
    </div>
  );
}
