// How far metrics agree with each other: a square of correlations.

import type { MetricAgreement, MetricView } from "../../generated/report";
import { tip } from "../../shared/tip";
import { divergingClass } from "../colour";
import type { PlainTable } from "../export";
import { number } from "../format";
import { titleOf } from "../pieces";

/** The same to take away. */
export function agreementTable(
  metrics: readonly MetricView[],
  agreement: MetricAgreement,
): PlainTable {
  const cell = (row: number, column: number) =>
    row === column ? "" : number(agreement.values[row]?.[column], 3);
  return {
    headings: ["metric", ...metrics.map(titleOf)],
    rows: metrics.map((metric, row) => [
      titleOf(metric),
      ...metrics.map((_, column) => cell(row, column)),
    ]),
    notes: [`Pearson's r over all ${agreement.level}s, turned so that higher is better`],
  };
}

export function AgreementSquare(props: {
  metrics: readonly MetricView[];
  agreement: MetricAgreement;
}) {
  const { metrics, agreement } = props;
  return (
    <div class="scrolls">
      <table class="square wide">
        <caption class="unseen">Pearson correlation between metrics, by {agreement.level}</caption>
        <thead>
          <tr>
            <td />
            {metrics.map((metric) => (
              <th key={metric.name} scope="col">
                <span>{titleOf(metric)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric, row) => (
            <tr key={metric.name}>
              <th scope="row">{titleOf(metric)}</th>
              {metrics.map((other, column) => {
                const value = agreement.values[row]?.[column] ?? null;
                if (row === column) return <td key={other.name} class="same" />;
                return (
                  <td
                    key={other.name}
                    class={divergingClass(value ?? NaN, 1)}
                    {...tip(() => (
                      <p>
                        {titleOf(metric)} and {titleOf(other)}: r = {number(value, 3)} over all{" "}
                        {agreement.level}s
                      </p>
                    ))}
                  >
                    {number(value, 2)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
