// Score against length: do long documents fare worse?

import { extent } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";

import { address, go } from "../../shared/router";
import { tip } from "../../shared/tip";
import type { Report } from "../data/report";
import { number } from "../format";
import { Chart } from "./frame";

const HEIGHT = 260;
const LEFT = 44;
const BOTTOM = 36;

export interface Point {
  readonly document: number;
  readonly score: number;
  readonly odd: boolean;
}

interface Drawn {
  readonly report: Report;
  readonly points: readonly Point[];
  readonly digits: number;
  readonly label: string;
}

export function LengthPlot(props: Drawn) {
  return (
    <Chart label={props.label} name="length" height={HEIGHT}>
      {(width) => <Dots {...props} width={width} />}
    </Chart>
  );
}

function Dots(props: Drawn & { width: number }) {
  const { width } = props;
  const { ids, characters } = props.report.overview.documents;
  const points = props.points.filter((point) => !Number.isNaN(point.score));
  const lengths = points.map((point) => Math.max(1, characters[point.document]!));
  const x = scaleLog(range(extent(lengths), 1, 10), [LEFT + 6, width - 22]);
  const y = scaleLinear(
    range(
      extent(points, (point) => point.score),
      0,
      1,
    ),
    [HEIGHT - BOTTOM, 10],
  ).nice();
  return (
    <>
      <g class="axis" aria-hidden="true">
        {y.ticks(5).map((tick) => (
          <g key={tick}>
            <line class="rule" x1={LEFT} x2={width - 10} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
              {y.tickFormat(5)(tick).replace("-", "−")}
            </text>
          </g>
        ))}
        {roundLengths(x.domain() as [number, number]).map((tick) => (
          <text key={tick} x={x(tick)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">
            {tick.toLocaleString("en")}
          </text>
        ))}
        <text x={(LEFT + width) / 2} y={HEIGHT - 4} text-anchor="middle">
          characters of source text
        </text>
      </g>
      {points.map((point) => (
        <circle
          key={point.document}
          class={`mark ${point.odd ? "odd" : ""}`}
          cx={x(Math.max(1, characters[point.document]!))}
          cy={y(point.score)}
          r={4.5}
          onClick={() => go(address("document", ids[point.document]!))}
          {...tip(() => (
            <>
              <p>
                <strong>
                  <bdi>{ids[point.document]}</bdi>
                </strong>
              </p>
              <p>
                {number(point.score, props.digits)} at{" "}
                {characters[point.document]!.toLocaleString("en")} characters
              </p>
            </>
          ))}
        />
      ))}
    </>
  );
}

function range(
  found: [number, number] | [undefined, undefined],
  low: number,
  high: number,
): [number, number] {
  if (found[0] === undefined) return [low, high];
  return found[0] === found[1] ? [found[0] - 0.5, found[1] + 0.5] : (found as [number, number]);
}

/** 100, 200, 500, 1,000 ... within the range. */
function roundLengths([low, high]: [number, number]): number[] {
  const found: number[] = [];
  for (let power = 1; power <= high; power *= 10) {
    for (const factor of [1, 2, 5]) {
      const value = power * factor;
      if (value >= low && value <= high) found.push(value);
    }
  }
  return found;
}
