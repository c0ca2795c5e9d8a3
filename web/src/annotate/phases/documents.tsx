// Whole documents: each translation is read to its end and gets a score from 0 to 100.

import { useSelecting } from "../input/selecting";
import type { Row } from "../task/screens";
import type { Work } from "../task/work";
import { Workbench } from "../task/workbench";
import { useScoreKeys } from "./percent";
import { WholeRow } from "./whole";

export function Documents(props: { work: Work<"document"> }) {
  const { work } = props;
  const selecting = useSelecting([]);
  const score = (row: Row, number: number) => work.answers.set([[row.item, { score: number }]]);
  useScoreKeys("Scoring a document", work, score);
  return (
    <Workbench
      work={work}
      title={work.task.document}
      unit="Document"
      selecting={selecting}
      marks={() => []}
    >
      {work.cursor.current.rows.map((row, index) => (
        <WholeRow key={row.item} work={work} row={row} index={index} onScore={score} />
      ))}
    </Workbench>
  );
}
