// ESA and MQM: errors are marked where they are, then the segment gets a score from 0 to 100.

import type { ComponentChildren } from "preact";

import type { ShownMark } from "../../shared/marked_text";
import { useSelecting } from "../input/selecting";
import { OUTPUT, SOURCE } from "../input/selection";
import type { Shortcut } from "../input/shortcuts";
import { asks, type Row } from "../task/screens";
import { change, valueOf, type Work } from "../task/work";
import { Workbench } from "../task/workbench";
import {
  inOutput,
  inSource,
  leftOut,
  markingActions,
  offeredBy,
  shorten,
  shown,
  SpanRow,
  type SpanWork,
} from "./errors";
import { useScoreKeys } from "./percent";
import { WholeQuestion, WholeRow } from "./whole";

export function Spans(props: { work: Work<"spans"> }) {
  return <SpanBench work={props.work} title="Marking errors" />;
}

/** Marking errors and scoring, with what one kind of work has beyond the other. */
export function SpanBench(props: {
  work: SpanWork;
  title: string;
  shortcuts?: readonly Shortcut[];
  compared?: (row: Row) => readonly ShownMark[];
  /** Beside the score of a row. */
  beside?: (row: Row) => ComponentChildren;
  below?: ComponentChildren;
}) {
  const { work } = props;
  const { cursor, task } = work;
  const { currentRow } = cursor;
  const { whole } = cursor.current;
  const selecting = useSelecting(markingActions(work));
  const score = (row: Row, number: number) => {
    if (asks(row)) change(work, row, { score: number });
  };
  const offered = offeredBy(work);
  const marking: Shortcut[] = [
    {
      keys: ["o"],
      label: "Choose words of the translation",
      run: () => selecting.picking.begin(OUTPUT(currentRow.slot ?? "")),
    },
    {
      keys: offered.map(([, key]) => key),
      label: `Chosen words are a ${offered.map(([name]) => name).join(", ")} error`,
      run: () => undefined,
    },
    { keys: ["a"], label: "Chosen words were added", run: () => undefined },
    {
      keys: ["s"],
      label: "Choose words of the source that were left out",
      run: () => selecting.picking.begin(SOURCE(cursor.current.segment)),
    },
    { keys: ["v"], label: "Something was left out", run: () => leftOut(work, currentRow) },
    { keys: ["Backspace"], label: "Remove the last error", run: () => shorten(work, currentRow) },
  ];
  useScoreKeys(props.title, work, score, [...(whole ? [] : marking), ...(props.shortcuts ?? [])]);
  return (
    <Workbench
      work={work}
      title={task.document}
      unit="Segment"
      selecting={selecting}
      marks={(segment) =>
        segment === cursor.current.segment
          ? valueOf(work, currentRow).errors.filter(inSource).map(shown)
          : []
      }
      above={whole && <WholeQuestion />}
      below={props.below}
    >
      {cursor.current.rows.map((row, index) =>
        whole ? (
          <WholeRow
            key={row.item}
            work={work}
            row={row}
            index={index}
            onScore={score}
            marks={(segment, slot) =>
              (work.answers.value(`seg:${segment}/${slot}`)?.errors ?? [])
                .filter(inOutput)
                .map(shown)
            }
          />
        ) : (
          <SpanRow
            key={row.item}
            work={work}
            row={row}
            index={index}
            onScore={(next) => score(row, next)}
            compared={props.compared?.(row) ?? []}
          >
            {props.beside?.(row)}
          </SpanRow>
        ),
      )}
    </Workbench>
  );
}
