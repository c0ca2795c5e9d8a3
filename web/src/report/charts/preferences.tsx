// What people prefer, by the size of the metric's difference: stacked shares.

import type { MetricPreferences } from "../../generated/report";
import { tip } from "../../shared/tip";
import { counted } from "../format";
import { Chart } from "./frame";

const HEIGHT = 190;
const BOTTOM = 40;
const GAP = 2;

export function PreferenceBars(props: { preferences: MetricPreferences }) {
  const { metric, level } = props.preferences;
  return (
    <figure>
      <figcaption>
        <strong>{metric}</strong>
      </figcaption>
      <Chart
        label={`${metric}: preferences of people by ${level}`}
        name={`${metric}-preferences-${level}`}
        height={HEIGHT}
      >
        {(width) => <Bars {...props} whole={width} />}
      </Chart>
    </figure>
  );
}

function Bars(props: { preferences: MetricPreferences; whole: number }) {
  const { metric, bins } = props.preferences;
  const { whole } = props;
  const width = (whole - GAP * (bins.length - 1)) / bins.length;
  const height = HEIGHT - BOTTOM;
  return (
    <>
      {bins.map((bin, i) => {
        const x = i * (width + GAP);
        const same = bin.same * height;
        const tied = bin.tied * height;
        return (
          <g
            key={i}
            tabIndex={0}
            role="img"
            aria-label={`difference ${span(bin.low, bin.high)}: people agree in ${share(bin.same)}`}
            {...tip(() => (
              <>
                <p>
                  <strong>
                    {metric} differs by {span(bin.low, bin.high)}
                  </strong>
                </p>
                <p>
                  people agree {share(bin.same)}, see none {share(bin.tied)}, disagree{" "}
                  {share(bin.opposite)}
                </p>
                <p class="soft">{counted(bin.pairs, "pair")}</p>
              </>
            ))}
          >
            <rect class="bar same" x={x} y={height - same} width={width} height={same} />
            <rect class="bar tied" x={x} y={height - same - tied} width={width} height={tied} />
            <rect class="bar opposite" x={x} y={0} width={width} height={height - same - tied} />
            {(i === 0 || i === bins.length - 1 || i === Math.floor(bins.length / 2)) && (
              <text
                class="soft"
                x={x + width / 2}
                y={height + 15}
                text-anchor={i === 0 ? "start" : i === bins.length - 1 ? "end" : "middle"}
              >
                {short(bin.high)}
              </text>
            )}
          </g>
        );
      })}
      <text class="soft" x={whole / 2} y={HEIGHT - 6} text-anchor="middle">
        difference in {metric}, up to
      </text>
    </>
  );
}

function short(value: number): string {
  return Number(value.toPrecision(2)).toString();
}

function span(low: number, high: number): string {
  return `${short(low)} to ${short(high)}`;
}

function share(part: number): string {
  return `${Math.round(part * 100)} %`;
}
