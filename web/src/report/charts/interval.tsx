// Interval plot: a dot for each score, a line for what chance allows.

import { scaleLinear } from "d3-scale";

import type { MetricView } from "../../generated/report";
import { tip } from "../../shared/tip";
import type { Report } from "../data/report";
import { number } from "../format";
import { standingTip } from "./standing_tip";

const ROW = 24;
const NAME = 150;
const WIDTH = 560;
const BOTTOM = 30;

/** The range that all intervals of a metric fit in. */
export function reach(metric: MetricView): [number, number] {
  const ends = metric.places.flatMap((place) =>
    [place.low, place.high, place.score].filter((value): value is number => value !== null),
  );
  if (ends.length === 0) return [0, 1];
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const margin = (high - low || Math.abs(high) || 1) * 0.04;
  return [low - margin, high + margin];
}

export function IntervalPlot(props: { report: Report; metric: number }) {
  const view = props.report.metrics[props.metric] as MetricView;
  const places = view.places.filter((place) => place.score !== null);
  const x = scaleLinear(reach(view), [NAME, WIDTH - 16]);
  const height = places.length * ROW;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${height + BOTTOM}`}
      width="100%"
      role="img"
      aria-label={`${view.name}: score and interval of each system, best first`}
      class={view.people ? "people" : ""}
    >
      <g class="axis">
        {x.ticks(6).map((tick) => (
          <g key={tick}>
            <line class="rule" x1={x(tick)} x2={x(tick)} y1={0} y2={height} />
            <text x={x(tick)} y={height + 16} text-anchor="middle">
              {x.tickFormat(6)(tick).replace("-", "−")}
            </text>
          </g>
        ))}
      </g>
      {places.map((place, row) => {
        const system = props.report.overview.systems[place.system]!;
        const y = row * ROW + ROW / 2;
        const before = places[row - 1];
        const boundary = before && before.cluster !== place.cluster && place.cluster !== null;
        return (
          <g key={place.system} {...tip(() => standingTip(props.report, props.metric, place))}>
            {boundary && <line class="boundary" x1={0} x2={WIDTH} y1={row * ROW} y2={row * ROW} />}
            <rect x={0} y={row * ROW} width={WIDTH} height={ROW} fill="transparent" />
            <text x={0} y={y + 4}>
              {shortened(system.name)}
            </text>
            {place.low !== null && place.high !== null && (
              <line class="whisker" x1={x(place.low)} x2={x(place.high)} y1={y} y2={y} />
            )}
            <circle class="dot" cx={x(place.score!)} cy={y} r={4} />
            <title>{`${system.name} ${number(place.score, view.digits)}`}</title>
          </g>
        );
      })}
    </svg>
  );
}

function shortened(name: string): string {
  return name.length > 20 ? `${name.slice(0, 19)}…` : name;
}

/** The same in a table's cell: only the line and the dot. */
export function Whisker(props: {
  metric: MetricView;
  place: MetricView["places"][number];
  width: number;
}) {
  const { low, high, score } = props.place;
  if (score === null || low === null || high === null) return <span />;
  const x = scaleLinear(reach(props.metric), [3, props.width - 3]);
  return (
    <WhiskerLine
      width={props.width}
      low={x(low)}
      high={x(high)}
      dot={x(score)}
      people={props.metric.people}
    />
  );
}

/** A line with a dot, in pixels. */
export function WhiskerLine(props: {
  width: number;
  low: number;
  high: number;
  dot: number;
  people?: boolean;
}) {
  return (
    <svg width={props.width} height="14" aria-hidden="true" class={props.people ? "people" : ""}>
      <line class="rule" x1={0} x2={props.width} y1={7} y2={7} />
      <line class="whisker" x1={props.low} x2={props.high} y1={7} y2={7} />
      <circle class="dot" cx={props.dot} cy={7} r={3} />
    </svg>
  );
}
