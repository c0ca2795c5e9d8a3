// Overview: which system is best, and how sure are we?

import { useState } from "preact/hooks";

import { change, type Route } from "../../shared/router";
import { usePrinting } from "../../shared/window";
import { AgreementSquare, agreementTable } from "../charts/agreement_square";
import { IntervalPlot } from "../charts/interval";
import { decisive } from "../charts/standing_tip";
import { WinsMap, winsTable } from "../charts/wins";
import type { Report } from "../data/report";
import { Term } from "../glossary";
import { Choices, metricOptions, Section, TableExport, titleOf } from "../pieces";
import { explainAddress, explains } from "./explain/setting";
import { Standings, standingsTable } from "./overview/standings";

export function OverviewView(props: { report: Report; route: Route }) {
  const { report, route } = props;
  const named = route.settings.get("metric");
  const metric = report.metricNamed(named);
  const printing = usePrinting(); // on paper there is nothing to choose: all metrics are shown
  const choose = (number: number | null) =>
    change(route, { metric: number === null ? null : report.metrics[number]!.name });
  const sorted = named === null ? null : metric;
  return (
    <>
      <Verdict report={report} />
      <Section
        title="Systems"
        lead={<StandingsLead report={report} />}
        tools={
          <TableExport
            name={`${report.overview.facts.testset}-systems`}
            table={() => standingsTable(report, sorted)}
          />
        }
      >
        <Standings report={report} sorted={sorted} onSort={choose} />
      </Section>
      <Warnings warnings={report.overview.warnings} />
      <Section
        title="How sure are we?"
        class="next-page"
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

/** The answer, in a sentence made of what was tested. */
function Verdict(props: { report: Report }) {
  const { headline, clauses } = props.report.overview.verdict;
  if (headline === null) return null;
  return (
    <section class="verdict" aria-label="Verdict">
      <h2>{headline}.</h2>
      <ul>
        {clauses.map((clause) => (
          <li key={clause}>
            <bdi>{clause.charAt(0).toUpperCase() + clause.slice(1)}</bdi>.
          </li>
        ))}
      </ul>
      <WhyLink report={props.report} />
    </section>
  );
}

/** To the pair that is asked for first: the best against the next. */
function WhyLink(props: { report: Report }) {
  const { explained, systems } = props.report.overview;
  const pair = explained[0];
  if (!pair) return null;
  const name = (system: number) => <bdi>{systems[system]!.name}</bdi>;
  return (
    <p class="why-link">
      <a href={explainAddress(props.report, pair.first, pair.second)}>
        Why? {name(pair.first)} against {name(pair.second)}, and other pairs
      </a>
    </p>
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
          {explains(report) && " Choose a cell to see why."}
          <TableExport
            name={`${report.metrics[metric]!.name}-wins`}
            of="the differences"
            table={() => winsTable(report, metric)}
          />
        </figcaption>
        <WinsMap report={report} metric={metric} />
      </figure>
    </div>
  );
}

function confidence(report: Report): string {
  return `${Math.round(report.overview.facts.confidence * 100)} %`;
}

const SHOWN_AT_ONCE = 4;

function Warnings(props: { warnings: readonly string[] }) {
  const { warnings } = props;
  if (warnings.length === 0) return null;
  const list = (items: readonly string[]) => (
    <ul>
      {items.map((text) => (
        <li key={text}>
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  );
  return (
    <aside class="warnings" aria-label="Warnings">
      <h2>Worth knowing</h2>
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
      Best first {props.report.overview.campaign ? "by people" : "over all metrics"}. Score,{" "}
      {confidence(props.report)} <Term of="interval" /> and <Term of="cluster" /> (
      {decisive(props.report)}). Point at a score, or move there with the arrow keys, to see whom it
      beats.
    </>
  );
}

function BetweenMetrics(props: { report: Report }) {
  const { agreement } = props.report.overview;
  const [level, setLevel] = useState<(typeof agreement)[number]["level"]>("document");
  const chosen = agreement.find((each) => each.level === level) ?? agreement[0]!;
  return (
    <Section
      title="Do the metrics agree?"
      lead={
        <>
          <Term of="pearson">Pearson’s correlation</Term> of their scores, turned so that higher is
          better: 1 is full agreement.
        </>
      }
      tools={
        <div class="tool-row">
          <Choices
            label="Level"
            options={agreement.map(({ level: value }) => ({ value, name: `${value}s` }))}
            value={level}
            onChange={setLevel}
          />
          <TableExport
            name={`metrics-by-${level}`}
            of="the correlations"
            table={() => agreementTable(props.report.metrics, chosen)}
          />
        </div>
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
