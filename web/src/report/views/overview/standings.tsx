// Systems x metrics: score, interval and rank cluster; on a narrow screen a card for each system.

import { useRef } from "preact/hooks";

import type { MetricView, SystemPlace } from "../../../generated/report";
import { cellAt, useArrowKeys } from "../../../shared/grid";
import { address } from "../../../shared/router";
import { tip } from "../../../shared/tip";
import { Whisker } from "../../charts/interval";
import { standingTip } from "../../charts/standing_tip";
import { rankedSystems, type Report } from "../../data/report";
import type { PlainTable } from "../../export";
import { number } from "../../format";
import { SystemName, titleOf } from "../../pieces";

const MANY = 4; // metrics; from here on cells are narrow

/** Best first: over all metrics, or under the one that the reader sorts by. */
function orderOf(report: Report, sorted: number | null): readonly number[] {
  return sorted === null ? report.overview.verdict.order : rankedSystems(report, sorted);
}

function placeOf(view: MetricView, system: number): SystemPlace | undefined {
  return view.places.find((each) => each.system === system);
}

function heading(view: MetricView): string {
  return `${titleOf(view)} ${view.higher_is_better ? "↑" : "↓"}`;
}

export function Standings(props: {
  report: Report;
  sorted: number | null;
  onSort: (metric: number | null) => void;
}) {
  const { report, sorted } = props;
  const grid = useRef<HTMLTableElement>(null);
  useArrowKeys(grid);
  const link = report.metrics[sorted ?? report.metricNamed(null)]!.name;
  return (
    <div class="scrolls">
      <table class={`standings ${report.metrics.length > MANY ? "compact" : ""}`} ref={grid}>
        <caption class="unseen">Systems and their scores under each metric</caption>
        <thead>
          <tr>
            <th scope="col" {...(sorted === null ? { "aria-sort": "other" as const } : {})}>
              <button type="button" onClick={() => props.onSort(null)}>
                System
              </button>
            </th>
            {report.metrics.map((view, number) => (
              <th
                key={view.name}
                scope="col"
                title={view.name}
                {...(number === sorted
                  ? { "aria-sort": view.higher_is_better ? "descending" : "ascending" }
                  : {})}
              >
                <button type="button" onClick={() => props.onSort(number)}>
                  {heading(view)}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {orderOf(report, sorted).map((system, row) => {
            const known = report.overview.systems[system]!;
            const target = address("documents", null, { metric: link, sort: known.name });
            return (
              <tr key={system}>
                <th scope="row">
                  <a class="plain" href={target}>
                    <SystemName {...known} />
                  </a>
                </th>
                {report.metrics.map((view, column) => (
                  <StandingCell key={view.name} {...{ report, view, column, row, system }} />
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function StandingCell(props: {
  report: Report;
  view: MetricView;
  column: number;
  row: number;
  system: number;
}) {
  const { report, view, column, row } = props;
  const place = placeOf(view, props.system);
  const label = { "data-metric": heading(view) };
  if (!place || place.score === null)
    return (
      <td {...cellAt(row, column)} {...label}>
        –
      </td>
    );
  return (
    <td {...cellAt(row, column)} {...label} {...tip(() => standingTip(report, column, place))}>
      <span class="cell">
        <Cluster place={place} />
        <span class="score">
          {number(place.score, view.digits)}
          {place.scored < place.total && !view.people && <abbr title="not all scored">*</abbr>}
        </span>
        <Whisker metric={view} place={place} width={report.metrics.length > MANY ? 88 : 112} />
      </span>
      <span class="unseen">
        {place.low !== null &&
          ` from ${number(place.low, view.digits)} to ${number(place.high, view.digits)}`}
      </span>
    </td>
  );
}

function Cluster(props: { place: SystemPlace }) {
  const { cluster } = props.place;
  if (cluster === null) return <span />;
  return (
    <span class={`cluster ${cluster === 1 ? "first" : ""}`}>
      <span class="unseen">cluster </span>
      {cluster}
    </span>
  );
}

/** The same to take away, the first cluster of each metric bold. */
export function standingsTable(report: Report, sorted: number | null): PlainTable {
  const { facts, systems, verdict } = report.overview;
  const best = new Set<string>();
  const rows = orderOf(report, sorted).map((system, row) => {
    const cells = report.metrics.flatMap((view, column) => {
      const place = placeOf(view, system);
      if (!place || place.score === null) return ["–", "", ""];
      const several = view.places.some((each) => (each.cluster ?? 0) > 1);
      if (several && place.cluster === 1) best.add(`${row} ${1 + 3 * column}`);
      const ends = [place.low, place.high].map((end) => number(end, view.digits)).join(", ");
      const interval = place.low === null ? "" : `[${ends}]`;
      return [number(place.score, view.digits), interval, String(place.cluster ?? "")];
    });
    return [systems[system]!.name, ...cells];
  });
  const said = [verdict.headline ?? "", ...verdict.clauses].filter(Boolean).join("; ");
  return {
    headings: ["system", ...report.metrics.flatMap((view) => [heading(view), "interval", "#"])],
    rows,
    best,
    notes: [
      said,
      `interval: ${facts.confidence * 100} %; #: rank cluster (${facts.comparing})`,
      ...report.metrics.map((view) => view.signature),
    ],
  };
}
