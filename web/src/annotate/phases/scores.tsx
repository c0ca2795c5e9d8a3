// Direct assessment: a score from 0 to 100 for each segment, with its document around it.

import { Scale } from "../input/scale";
import { useSelecting } from "../input/selecting";
import { RowFrame, RowText } from "../task/row";
import { asks, type Row } from "../task/screens";
import type { Work } from "../task/work";
import { Workbench } from "../task/workbench";
import { useScoreKeys } from "./percent";
import { WholeQuestion, WholeRow } from "./whole";

type ScoreWork = Work<"da">;

export function Scores(props: { work: ScoreWork }) {
  const { work } = props;
  const { cursor, task } = work;
  const selecting = useSelecting([]);
  const score = (row: Row, number: number) => {
    if (asks(row)) work.answers.set([[row.item, { score: number }]]);
  };
  useScoreKeys("Scoring", work, score);
  return (
    <Workbench
      work={work}
      title={task.document}
      unit="Segment"
      selecting={selecting}
      marks={() => []}
      above={cursor.current.whole && <WholeQuestion />}
    >
      {cursor.current.rows.map((row, index) =>
        cursor.current.whole ? (
          <WholeRow key={row.item} work={work} row={row} index={index} onScore={score} />
        ) : (
          <RowFrame key={row.item} work={work} index={index} row={row}>
            <RowText work={work} row={row} here={cursor.row === index} marks={[]} />
            <div class="controls">
              <Scale
                label="Score"
                value={work.answers.value(row.item)?.score ?? null}
                max={100}
                step={1}
                here={cursor.row === index}
                meaning={cursor.row === index ? task.scale : []}
                onChange={(next) => score(row, next)}
                onFocus={() => cursor.go({ row: index, field: 0 })}
              />
            </div>
          </RowFrame>
        ),
      )}
    </Workbench>
  );
}
