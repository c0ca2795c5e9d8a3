// One segment on which opinions differ: the scores, and the texts to judge by.

import { useLoaded } from "../../../shared/loading";
import type { ShownMark } from "../../../shared/marked_text";
import { address } from "../../../shared/router";
import { difference } from "../../../shared/words";
import { type Case, placeOf } from "../../data/disagreement";
import type { Report } from "../../data/report";
import { number, signed } from "../../format";
import { CaseSide } from "../case_side";
import { systemsSetting } from "../document/setting";
import type { SegmentsSetting } from "./setting";

export function SegmentCard(props: { report: Report; setting: SegmentsSetting; of: Case }) {
  const { report, setting, of } = props;
  const { document, within } = placeOf(report, of.segment);
  const loaded = useLoaded(() => report.document(document), [document]);
  const row = loaded?.texts[within] ?? null;
  const between = setting.mode === "systems";
  const systems = between ? [setting.one, setting.other] : [of.system];
  const id = report.overview.documents.ids[document]!;
  const target = address("document", id, {
    segment: within + 1,
    systems: systemsSetting(report, systems),
    ...(between ? { show: "difference" } : {}),
  });
  return (
    <article class="case">
      <div class="case-facts">
        <a href={target}>
          <bdi>{id}</bdi> · {within + 1}
        </a>
        <Scores {...props} />
      </div>
      {row && <Texts {...props} row={row} systems={systems} />}
    </article>
  );
}

function Scores(props: { report: Report; setting: SegmentsSetting; of: Case }) {
  const { report, setting, of } = props;
  const view = report.metrics[setting.metric]!;
  const second = report.metrics[setting.second]!;
  const name = (system: number) => report.overview.systems[system]!.name;
  const [left, right] =
    setting.mode === "systems"
      ? [name(setting.one), name(setting.other)]
      : [view.name, second.name];
  const gap =
    setting.mode === "systems"
      ? signed(of.gap, view.segment_digits ?? 1)
      : `${signed(of.gap * 100, 0)} %`;
  return (
    <dl class="case-scores">
      <dt>
        <bdi>{left}</bdi>
      </dt>
      <dd>
        {number(of.one, view.segment_digits ?? 1)}
        <Below share={of.below?.[0]} />
      </dd>
      <dt>
        <bdi>{right}</bdi>
      </dt>
      <dd>
        {number(of.other, second.segment_digits ?? 1)}
        <Below share={of.below?.[1]} />
      </dd>
      <dt>difference</dt>
      <dd class={of.gap > 0 ? "ahead" : "behind"}>{gap}</dd>
    </dl>
  );
}

/** Better than this share of all translations. */
function Below(props: { share: number | undefined }) {
  if (props.share === undefined) return null;
  return <span class="below">{Math.round(props.share * 100)} %</span>;
}

function Texts(props: {
  report: Report;
  setting: SegmentsSetting;
  row: readonly (string | null)[];
  systems: readonly number[];
}) {
  const { report, row, systems } = props;
  const { source_language: from, target_language: to } = report.overview.facts;
  const outputs = systems.map((system) => row[report.sideOf(system)] ?? null);
  const [one, other] = outputs;
  const marks: readonly (readonly ShownMark[])[] =
    typeof one === "string" && typeof other === "string" ? differing(one, other) : [[], []];
  const reference = row[1];
  return (
    <>
      <CaseSide heading="h3" name="source" text={row[0] ?? null} language={from} />
      {report.references.length > 0 && (
        <CaseSide
          heading="h3"
          name={`reference ${report.references[0]}`}
          text={reference ?? null}
          language={to}
        />
      )}
      {systems.map((system, i) => (
        <CaseSide
          heading="h3"
          key={system}
          name={report.overview.systems[system]!.name}
          text={outputs[i] ?? null}
          language={to}
          marks={marks[i] ?? []}
        />
      ))}
    </>
  );
}

function differing(one: string, other: string): ShownMark[][] {
  const [left, right] = difference(one, other);
  return [
    left.map((mark) => ({ ...mark, look: "differs first" })),
    right.map((mark) => ({ ...mark, look: "differs second" })),
  ];
}
