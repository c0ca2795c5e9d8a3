// The passages that tell most of a difference, side by side, with the words that only one has.

import type { ExplainedMetric, ExplainedPair, ExplainedPassage } from "../../../generated/report";
import { useLoaded } from "../../../shared/loading";
import type { ShownMark } from "../../../shared/marked_text";
import { unpacked } from "../../../shared/packing";
import { address } from "../../../shared/router";
import type { Report } from "../../data/report";
import { Key, Legend } from "../../pieces";
import { CaseSide } from "../case_side";
import { systemsSetting } from "../document/setting";
import { ExplainedHeading } from "./tables";

export function Passages(props: {
  report: Report;
  pair: ExplainedPair;
  explained: ExplainedMetric;
  number: number;
}) {
  return (
    <section class="why-table" aria-labelledby="table-passages">
      <ExplainedHeading name="passages" number={props.number} title="Passages to read" />
      <Legend>
        <span>In one output alone:</span>
        <Key class="tone good">the reference has it</Key>
        <Key class="tone bad">the reference has it not</Key>
      </Legend>
      {props.explained.passages.map((passage, i) => (
        <Passage key={i} {...props} passage={passage} place={i + 1} />
      ))}
    </section>
  );
}

function Passage(props: {
  report: Report;
  pair: ExplainedPair;
  passage: ExplainedPassage;
  place: number;
}) {
  const { report, pair, passage } = props;
  const loaded = useLoaded(() => report.document(passage.document), [passage.document]);
  const row = loaded?.texts[passage.segment] ?? [];
  const id = report.overview.documents.ids[passage.document]!;
  const { source_language: from, target_language: to, references } = report.overview.facts;
  const target = address("document", id, {
    segment: passage.segment + 1,
    systems: systemsSetting(report, [pair.first, pair.second]),
    show: "difference",
  });
  const reference = references.findIndex((_, i) => typeof row[1 + i] === "string");
  const name = (system: number) => report.overview.systems[system]!.name;
  return (
    <article class="case passage">
      <div class="case-facts">
        <a href={target}>
          ({props.place}) <bdi>{id}</bdi> · {passage.segment + 1}
        </a>
        {passage.facts.map((fact) => (
          <p key={fact}>
            <bdi>{fact}</bdi>
          </p>
        ))}
      </div>
      {row[0] && <CaseSide heading="h4" name="source" text={row[0]} language={from} />}
      {reference >= 0 && (
        <CaseSide
          heading="h4"
          name={`reference ${references[reference]}`}
          text={row[1 + reference] ?? null}
          language={to}
        />
      )}
      {loaded &&
        (
          [
            ["A", pair.first, passage.first],
            ["B", pair.second, passage.second],
          ] as const
        ).map(([letter, system, marks]) => (
          <CaseSide
            key={letter}
            heading="h4"
            name={`${letter}: ${name(system)}`}
            text={row[report.sideOf(system)] ?? null}
            language={to}
            marks={wordMarks(marks)}
          />
        ))}
    </article>
  );
}

/** Begin (from the end of the one before), length, and whether the reference has it. */
export function wordMarks(packed: ExplainedPassage["first"]): ShownMark[] {
  const numbers = unpacked(packed);
  const marks: ShownMark[] = [];
  let at = 0;
  for (let i = 0; i < numbers.length; i += 3) {
    const start = at + numbers[i]!;
    at = start + numbers[i + 1]!;
    const right = numbers[i + 2] === 1;
    marks.push({
      start,
      end: at,
      look: `tone ${right ? "good" : "bad"}`,
      note: right ? "the reference has it" : "the reference has it not",
    });
  }
  return marks;
}
