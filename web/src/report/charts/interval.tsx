// Interval plot: a dot for each score, a line for what chance allows.

import { scaleLinear } from "d3-scale";

import type { MetricView } from "../../generated/report";
import { tip } from "../../shared/tip";
import { WhiskerLine } from "../../shared/whisker";
import type { Report } from "../data/report";
import { number } from "../format";
import { Chart } from "./frame";
import { standingTip } from "./standing_tip";

const ROW = 24;
const BOTTOM = 30;
const LETTER = 7; // the likely width of a letter

/** Room for the names: as long as they are, but never more than a third of the plot. */
function roomForNames(names: readonly string[], width: number): number {
  return Math.min(width / 3, 12 + LETTER * Math.max(...names.map((name) => name.length)));
}

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
  const height = places.length * ROW;
  return (
    <Chart
      label={`${view.name}: score and interval of each system, best first`}
      name={`${view.name}-intervals`}
      height={height + BOTTOM}
      role="img"
      class={view.people ? "people" : ""}
    >
      {(width) => <Intervals {...props} {...{ view, places, height, width }} />}
    </Chart>
  );
}

function Intervals(props: {
  report: Report;
  metric: number;
  view: MetricView;
  places: MetricView["places"];
  height: number;
  width: number;
}) {
  const { view, places, height, width } = props;
  const names = places.map((place) => props.report.overview.systems[place.system]!.name);
  const room = roomForNames(names, width);
  const x = scaleLinear(reach(view), [room, width - 16]);
  const ticks = width < 400 ? 3 : 6;
  return (
    <>
      <g class="axis">
        {x.ticks(ticks).map((tick) => (
          <g key={tick}>
            <line class="rule" x1={x(tick)} x2={x(tick)} y1={0} y2={height} />
            <text x={x(tick)} y={height + 16} text-anchor="middle">
              {x.tickFormat(ticks)(tick).replace("-", "−")}
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
            {boundary && <line class="boundary" x1={0} x2={width} y1={row * ROW} y2={row * ROW} />}
            <rect x={0} y={row * ROW} width={width} height={ROW} fill="transparent" />
            <text x={0} y={y + 4}>
              {shortened(system.name, room)}
            </text>
            {place.low !== null && place.high !== null && (
              <line class="whisker" x1={x(place.low)} x2={x(place.high)} y1={y} y2={y} />
            )}
            <circle class="dot" cx={x(place.score!)} cy={y} r={4} />
            <title>{`${system.name} ${number(place.score, view.digits)}`}</title>
          </g>
        );
      })}
    </>
  );
}

function shortened(name: string, room: number): string {
  const letters = Math.floor((room - 12) / LETTER);
  return name.length > letters ? `${name.slice(0, Math.max(1, letters - 1))}…` : name;
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
