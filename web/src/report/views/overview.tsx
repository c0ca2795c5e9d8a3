// Overview: which system is best, and how sure are we?

import { useRef, useState } from "preact/hooks";

import type { MetricView, Place } from "../../generated/report";
import { cellAt, useArrowKeys } from "../../shared/grid";
import { address, change, type Route } from "../../shared/router";
import { tip } from "../../shared/tip";
import { usePrinting } from "../../shared/window";
import { AgreementSquare } from "../charts/agreement_square";
import { IntervalPlot, Whisker } from "../charts/interval";
import { decisive, standingTip } from "../charts/standing_tip";
import { WinsMap } from "../charts/wins";
import { rankedSystems, type Report } from "../data/report";
import { number } from "../format";
import { Choices, metricOptions, Section, SystemName, titleOf } from "../pieces";

export function OverviewView(props: { report: Report; route: Route }) {
  const { report, route } = props;
  const metric = report.metricNamed(route.settings.get("metric"));
  const printing = usePrinting(); // on paper there is nothing to choose: all metrics are shown
  const choose = (number: number) => change(route, { metric: report.metrics[number]!.name });
  return (
    <>
      <Warnings warnings={report.overview.warnings} />
      <Section title="Which system is best?" lead={<StandingsLead report={report} />}>
        <Standings report={report} metric={metric} onSort={choose} />
      </Section>
      <Section
        title="How sure are we?"
        lead={`Every pair of systems is tested (${report.overview.facts.comparing}).`}
        tools={
          <Choices
            label="Metric"
            options={metricOptions(report.metrics)}
            value={metric}
            onChange={choose}
          />
        }
      >
        {(printing ? report.metrics.map((_, i) => i) : [metric]).map((shown) => (
          <Plots key={shown} report={report} metric={shown} />
        ))}
      </Section>
      {report.metrics.length > 1 && <BetweenMetrics report={report} />}
      <Signatures report={report} />
    </>
  );
}

function Plots(props: { report: Report; metric: number }) {
  const { report, metric } = props;
  return (
    <div class="side-by-side">
      <figure>
        <figcaption>
          <strong>
            {titleOf(report.metrics[metric]!)} with {confidence(report)} intervals.
          </strong>{" "}
          A line separates rank clusters.
        </figcaption>
        <IntervalPlot report={report} metric={metric} />
      </figure>
      <figure>
        <figcaption>
          <strong>Row against column.</strong> Blue rows win.
        </figcaption>
        <WinsMap report={report} metric={metric} />
      </figure>
    </div>
  );
}

function confidence(report: Report): string {
  return `${Math.round(report.overview.facts.confidence * 100)} %`;
}

const SHOWN_AT_ONCE = 6;

function Warnings(props: { warnings: readonly string[] }) {
  const { warnings } = props;
  if (warnings.length === 0) return null;
  const list = (items: readonly string[]) => (
    <ul>
      {items.map((text) => (
        <li key={text} dir="auto">
          {text}
        </li>
      ))}
    </ul>
  );
  return (
    <aside class="warnings" aria-label="Warnings">
      <h2>Before you trust these numbers</h2>
      {list(warnings.slice(0, SHOWN_AT_ONCE))}
      {warnings.length > SHOWN_AT_ONCE && (
        <details>
          <summary>{warnings.length - SHOWN_AT_ONCE} more</summary>
          {list(warnings.slice(SHOWN_AT_ONCE))}
        </details>
      )}
    </aside>
  );
}

function StandingsLead(props: { report: Report }) {
  return (
    <>
      Score, {confidence(props.report)} interval and rank cluster: every system of a better cluster
      beats every system of a worse one at {decisive(props.report)}. Point at a score, or move there
      with the arrow keys, to see whom it beats.
    </>
  );
}

const MANY = 4; // metrics; from here on cells are narrow

function Standings(props: { report: Report; metric: number; onSort: (metric: number) => void }) {
  const { report, metric } = props;
  const grid = useRef<HTMLTableElement>(null);
  useArrowKeys(grid);
  const rows = rankedSystems(report, metric);
  return (
    <div class="scrolls">
      <table class={`standings ${report.metrics.length > MANY ? "compact" : ""}`} ref={grid}>
        <caption class="unseen">Systems and their scores under each metric</caption>
        <thead>
          <tr>
            <th scope="col">System</th>
            {report.metrics.map((view, number) => (
              <th
                key={view.name}
                scope="col"
                {...(number === metric
                  ? { "aria-sort": view.higher_is_better ? "descending" : "ascending" }
                  : {})}
              >
                <button type="button" onClick={() => props.onSort(number)}>
                  {titleOf(view)} {view.higher_is_better ? "↑" : "↓"}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((system, row) => (
            <tr key={system}>
              <th scope="row">
                <a
                  class="plain"
                  href={address("documents", null, {
                    metric: report.metrics[metric]!.name,
                    sort: report.overview.systems[system]!.name,
                  })}
                >
                  <SystemName {...report.overview.systems[system]!} />
                </a>
              </th>
              {report.metrics.map((view, column) => (
                <StandingCell key={view.name} {...{ report, view, column, row, system }} />
              ))}
            </tr>
          ))}
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
  const place = view.places.find((each) => each.system === props.system);
  if (!place || place.score === null) return <td {...cellAt(row, column)}>–</td>;
  return (
    <td {...cellAt(row, column)} {...tip(() => standingTip(report, column, place))}>
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

function Cluster(props: { place: Place }) {
  const { cluster } = props.place;
  if (cluster === null) return <span />;
  return (
    <span class={`cluster ${cluster === 1 ? "first" : ""}`}>
      <span class="unseen">cluster </span>
      {cluster}
    </span>
  );
}

function BetweenMetrics(props: { report: Report }) {
  const { agreement } = props.report.overview;
  const [level, setLevel] = useState<(typeof agreement)[number]["level"]>("document");
  const chosen = agreement.find((each) => each.level === level) ?? agreement[0]!;
  return (
    <Section
      title="Do the metrics agree?"
      lead="Pearson’s correlation of their scores, turned so that higher is better: 1 is full agreement."
      tools={
        <Choices
          label="Level"
          options={agreement.map(({ level: value }) => ({ value, name: `${value}s` }))}
          value={level}
          onChange={setLevel}
        />
      }
    >
      <AgreementSquare metrics={props.report.metrics} agreement={chosen} />
    </Section>
  );
}

function Signatures(props: { report: Report }) {
  const { facts } = props.report.overview;
  return (
    <section class="block">
      <details class="signatures">
        <summary>Signatures and settings</summary>
        <dl>
          {props.report.metrics.map((metric) => (
            <>
              <dt>{metric.name}</dt>
              <dd>
                <code>{metric.signature}</code>
              </dd>
            </>
          ))}
          <dt>comparison</dt>
          <dd>
            <code>
              {facts.comparing}; confidence {facts.confidence}; alpha {facts.alpha}
            </code>
          </dd>
          <dt>test set</dt>
          <dd>
            <code>sha256:{facts.digest}</code>
          </dd>
          <dt>made by</dt>
          <dd>
            <code>
              isogloss {facts.isogloss}
              {facts.created && `, scored ${facts.created}`}
            </code>
          </dd>
        </dl>
      </details>
    </section>
  );
}
