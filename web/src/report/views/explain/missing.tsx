// Two systems that were not taken apart: what the page knows of them, and how to learn more.

import type { ExplainedPair } from "../../../generated/report";
import { address } from "../../../shared/router";
import type { Report } from "../../data/report";
import { number, pValue, signed } from "../../format";
import { titleOf } from "../../pieces";
import { type ExplainSetting, explainAddress } from "./setting";

export function NotExplained(props: {
  report: Report;
  setting: ExplainSetting;
  pair: ExplainedPair | null;
}) {
  const { report, setting, pair } = props;
  const name = (system: number) => report.overview.systems[system]!.name;
  const [first, second] = [name(setting.one), name(setting.other)];
  const metric = report.metrics[setting.metric]!;
  const segments = address("segments", null, { one: first, other: second, metric: metric.name });
  return (
    <>
      <p class="lead">
        {pair ? (
          `${titleOf(metric)} did not score both systems.`
        ) : (
          <bdi>{report.overview.unexplained ?? "These two were not taken apart."}</bdi>
        )}{" "}
        {pair === null && (
          <>
            For these two:{" "}
            <code>
              isogloss explain {quoted(first)} {quoted(second)} SCORES --testset TESTSET
            </code>
            . Below is what is known here; the{" "}
            <a href={segments}>segments on which they differ most</a> are here, too.
          </>
        )}
      </p>
      <Known {...props} />
      <p class="lead">
        Taken apart here:{" "}
        {report.overview.explained.map((each, i) => (
          <span key={i}>
            {i > 0 && " · "}
            <a href={explainAddress(report, each.first, each.second, each.metrics[0] ?? null)}>
              <bdi>{name(each.first)}</bdi> against <bdi>{name(each.second)}</bdi>
            </a>
          </span>
        ))}
        {report.overview.explained.length === 0 && "nothing."}
      </p>
    </>
  );
}

/** As a shell wants it. */
function quoted(name: string): string {
  return /^[\w.+-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

function Known(props: { report: Report; setting: ExplainSetting }) {
  const { report, setting } = props;
  const known = report.metrics.flatMap((view, metric) => {
    const outcome = report.outcome(metric, setting.one, setting.other);
    return outcome ? [{ view, outcome }] : [];
  });
  if (known.length === 0) return <p class="nothing">No metric scored both.</p>;
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label="Differences under each metric">
      <table class="parts">
        <caption class="unseen">The difference under each metric</caption>
        <thead>
          <tr>
            <th scope="col">metric</th>
            <th scope="col" class="number">
              difference
            </th>
            <th scope="col" class="number">
              interval
            </th>
            <th scope="col" class="number">
              p
            </th>
            <th scope="col">who is better</th>
          </tr>
        </thead>
        <tbody>
          {known.map(({ view, outcome }) => (
            <tr key={view.name}>
              <th scope="row">
                <bdi>{titleOf(view)}</bdi>
              </th>
              <td class="number">{signed(outcome.difference, view.digits)}</td>
              <td class="number">
                {outcome.interval
                  ? `[${outcome.interval.map((end) => number(end, view.digits)).join(", ")}]`
                  : "–"}
              </td>
              <td class="number">{pValue(outcome.p)}</td>
              <td>
                <Better {...props} verdict={outcome.verdict} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Better(props: { report: Report; setting: ExplainSetting; verdict: -1 | 0 | 1 }) {
  const { report, setting, verdict } = props;
  if (verdict === 0) return <>cannot be told</>;
  return <bdi>{report.overview.systems[verdict > 0 ? setting.one : setting.other]!.name}</bdi>;
}
