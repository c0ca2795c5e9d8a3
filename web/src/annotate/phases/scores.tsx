// Direct assessment: a score from 0 to 100 for each segment, with its document around it.

import { Scale } from "../input/scale";
import { useSelecting } from "../input/selecting";
import { useShortcuts } from "../input/shortcuts";
import { RowFrame, RowText } from "../task/row";
import { asks, type Row } from "../task/screens";
import type { Work } from "../task/work";
import { Workbench } from "../task/workbench";
import { DIGITS, useTyped } from "./percent";

type ScoreWork = Work<"da">;

export function Scores(props: { work: ScoreWork }) {
  const { work } = props;
  const { cursor, task } = work;
  const typed = useTyped();
  const selecting = useSelecting([]);
  const score = (row: Row, number: number) => {
    if (asks(row)) work.answers.set([[row.item, { score: number }]]);
  };
  useShortcuts({
    title: "Scoring",
    shortcuts: [
      {
        keys: DIGITS,
        label: "The score: 7 5 is 75, 7 alone is 70",
        run: (key) => {
          const { currentRow } = cursor;
          score(currentRow, typed.score(currentRow.item, Number(key), Date.now()));
        },
      },
      { keys: ["x"], label: "100", run: () => score(cursor.currentRow, 100) },
      { keys: ["ArrowLeft", "ArrowRight"], label: "In steps of 1", run: () => undefined },
    ],
  });
  return (
    <Workbench
      work={work}
      title={task.document}
      unit="Segment"
      selecting={selecting}
      marks={() => []}
    >
      {cursor.current.rows.map((row, index) => (
        <RowFrame key={row.item} work={work} index={index} row={row}>
          <RowText work={work} row={row} here={cursor.row === index} marks={[]} />
          <div class="controls">
            <Scale
              label="Score"
              value={work.answers.value(row.item)?.score ?? null}
              max={100}
              step={1}
              here={cursor.row === index}
              onChange={(next) => score(row, next)}
              onFocus={() => cursor.go({ row: index, field: 0 })}
            />
          </div>
        </RowFrame>
      ))}
    </Workbench>
  );
}
