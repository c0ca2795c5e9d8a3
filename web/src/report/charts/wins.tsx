// Every system against every other: who wins, and is it more than chance?

import { useRef } from "preact/hooks";

import type { MetricView } from "../../generated/report";
import { cellAt, useArrowKeys } from "../../shared/grid";
import { go } from "../../shared/router";
import { tip } from "../../shared/tip";
import type { Report } from "../data/report";
import type { PlainTable } from "../export";
import { signed } from "../format";
import { Key, Legend } from "../pieces";
import { explainAddress, explains } from "../views/explain/setting";
import { decisive, pairTip } from "./standing_tip";

/** The same to take away: differences, bold where the row is better by more than chance. */
export function winsTable(report: Report, metric: number): PlainTable {
  const view = report.metrics[metric] as MetricView;
  const order = view.places.filter((place) => place.score !== null).map((place) => place.system);
  const name = (system: number) => report.overview.systems[system]!.name;
  const best = new Set<string>();
  const rows = order.map((system, row) => {
    const cells = order.map((other, column) => {
      const outcome = system === other ? null : report.outcome(metric, system, other);
      if (outcome?.verdict === 1) best.add(`${row} ${1 + column}`);
      return outcome ? signed(outcome.difference, view.digits) : "";
    });
    return [name(system), ...cells];
  });
  const { comparing } = report.overview.facts;
  return {
    headings: [view.name, ...order.map(name)],
    rows,
    best,
    notes: [`row minus column; bold: the row is better, ${decisive(report)} (${comparing})`],
  };
}

export function WinsMap(props: { report: Report; metric: number }) {
  const { report, metric } = props;
  const grid = useRef<HTMLTableElement>(null);
  useArrowKeys(grid);
  const view = report.metrics[metric] as MetricView;
  const order = view.places.filter((place) => place.score !== null).map((place) => place.system);
  const name = (system: number) => report.overview.systems[system]!.name;
  return (
    <>
      <div class="scrolls">
        <table class={`square ${order.length > MANY ? "many" : ""}`} ref={grid}>
          <caption class="unseen">
            {view.name}: each row's system against each column's, best first
          </caption>
          <thead>
            <tr>
              <td />
              {order.map((system) => (
                <th key={system} scope="col">
                  <span>{name(system)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map((system, row) => (
              <tr key={system}>
                <th scope="row">
                  <bdi>{name(system)}</bdi>
                </th>
                {order.map((other, column) => (
                  <Cell key={other} {...{ report, metric, system, other, row, column }} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Legend>
        <Key class="d5">better, {decisive(report)}</Key>
        <Key class="d2">ahead, may be chance</Key>
        <Key class="d-2">behind, may be chance</Key>
        <Key class="d-5">worse, {decisive(report)}</Key>
      </Legend>
    </>
  );
}

const MANY = 24; // systems; from here on cells are small

const SIGN: Record<string, string> = { "5": "▲", "-5": "▼" };

function Cell(props: {
  report: Report;
  metric: number;
  system: number;
  other: number;
  row: number;
  column: number;
}) {
  const { report, metric, system, other, row, column } = props;
  if (system === other) return <td class="same" {...cellAt(row, column)} aria-label="itself" />;
  const outcome = report.outcome(metric, system, other);
  const better = report.metrics[metric]!.higher_is_better ? 1 : -1;
  const ahead = Math.sign(outcome?.difference ?? 0) * better;
  const step = (outcome?.verdict ?? 0) * 5 || ahead * 2;
  const open = () => explains(report) && go(explainAddress(report, system, other, metric));
  const word = outcome?.verdict === 1 ? "better" : outcome?.verdict === -1 ? "worse" : "open";
  return (
    <td
      class={`d${step}`}
      {...cellAt(row, column)}
      onClick={open}
      onKeyDown={(event) => event.key === "Enter" && open()}
      {...tip(() => pairTip(report, metric, system, other))}
    >
      <span aria-hidden="true">{SIGN[String(step)]}</span>
      <span class="unseen">{word}</span>
    </td>
  );
}
