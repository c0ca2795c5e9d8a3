// How far metrics agree with each other: a square of correlations.

import type { Agreement, MetricView } from "../../generated/report";
import { tip } from "../../shared/tip";
import { divergingClass } from "../colour";
import { number } from "../format";
import { titleOf } from "../pieces";

export function AgreementSquare(props: { metrics: readonly MetricView[]; agreement: Agreement }) {
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
