// What a standing means: the number in words, and whom the system beats.

import type { MetricView, SystemPlace } from "../../generated/report";
import type { Report } from "../data/report";
import { listed, number, pValue, signed } from "../format";

export function standingTip(report: Report, metric: number, place: SystemPlace) {
  const view = report.metrics[metric] as MetricView;
  const name = report.overview.systems[place.system]!.name;
  const verdicts = new Map<number, string[]>([
    [1, []],
    [0, []],
    [-1, []],
  ]);
  for (const other of view.places) {
    const outcome = report.outcome(metric, place.system, other.system);
    if (outcome) verdicts.get(outcome.verdict)!.push(report.overview.systems[other.system]!.name);
  }
  return (
    <>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{" "}
        · {view.name} {number(place.score, view.digits)}
        {place.low !== null &&
          ` [${number(place.low, view.digits)}, ${number(place.high, view.digits)}]`}
      </p>
      <Verdict of="Better than" names={verdicts.get(1)!} />
      <Verdict of="Cannot be told apart from" names={verdicts.get(0)!} />
      <Verdict of="Worse than" names={verdicts.get(-1)!} />
      <p class="soft">
        {decisive(report)}; {place.scored.toLocaleString("en")} of{" "}
        {place.total.toLocaleString("en")} segments scored
      </p>
    </>
  );
}

/** What makes a difference more than chance. */
export function decisive(report: Report): string {
  const { alpha, corrected } = report.overview.facts;
  return corrected ? `p ≤ ${alpha} corrected for all pairs` : `p ≤ ${alpha}`;
}

function Verdict(props: { of: string; names: readonly string[] }) {
  if (props.names.length === 0) return null;
  return (
    <p>
      {props.of} {listed(props.names)}.
    </p>
  );
}

/** One system against another, in words. */
export function pairTip(report: Report, metric: number, system: number, other: number) {
  const view = report.metrics[metric] as MetricView;
  const [name, otherName] = [system, other].map((i) => report.overview.systems[i]!.name);
  const outcome = report.outcome(metric, system, other);
  if (!outcome) return <p>Not compared.</p>;
  const verb = { "1": "is better than", "0": "cannot be told apart from", "-1": "is worse than" }[
    String(outcome.verdict) as "1" | "0" | "-1"
  ];
  return (
    <>
      <p>
        <strong>{name}</strong> {verb} <strong>{otherName}</strong>
      </p>
      <p>
        {view.name} {signed(outcome.difference, view.digits)}
        {outcome.interval &&
          ` [${outcome.interval.map((end) => signed(end, view.digits)).join(", ")}]`}
        , {pValue(outcome.p)}
        {report.overview.facts.corrected &&
          `, corrected for all pairs ${pValue(outcome.corrected)}`}
      </p>
      <p class="soft">
        {outcome.blocks.toLocaleString("en")} {report.overview.facts.blocks} in common
      </p>
    </>
  );
}
