// A metric's scores of systems against people's.

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";

import type { MetricView } from "../../generated/report";
import { tip } from "../../shared/tip";
import type { Report } from "../data/report";
import { number } from "../format";
import { Chart } from "./frame";

const HEIGHT = 250;
const LEFT = 46;
const BOTTOM = 38;

interface Point {
  readonly system: number;
  readonly people: number;
  readonly metric: number;
}

export function PeopleScatter(props: { report: Report; metric: string }) {
  const { report } = props;
  const view = report.metrics.find((each) => each.name === props.metric);
  const people = report.metrics.find((each) => each.people);
  if (!view || !people) return null;
  const points: Point[] = people.places.flatMap((place) => {
    const score = view.places.find((each) => each.system === place.system)?.score ?? null;
    if (place.score === null || score === null) return [];
    return [{ system: place.system, people: place.score, metric: score }];
  });
  return (
    <figure>
      <figcaption>
        <strong>{view.name}</strong>
      </figcaption>
      <Chart
        label={`${view.name} against ${people.name}`}
        name={`${view.name}-against-${people.name}`}
        height={HEIGHT}
      >
        {(width) => <Systems {...{ report, view, people, points, width }} />}
      </Chart>
    </figure>
  );
}

function Systems(props: {
  report: Report;
  view: MetricView;
  people: MetricView;
  points: readonly Point[];
  width: number;
}) {
  const { report, view, people, points, width } = props;
  const x = scaleLinear(extent(points, (p) => p.people) as [number, number], [
    LEFT + 8,
    width - 14,
  ]).nice();
  const range = [HEIGHT - BOTTOM - 6, 12];
  if (!view.higher_is_better) range.reverse();
  const y = scaleLinear(extent(points, (p) => p.metric) as [number, number], range).nice();
  return (
    <>
      <g class="axis" aria-hidden="true">
        {y.ticks(5).map((tick) => (
          <g key={tick}>
            <line class="rule" x1={LEFT} x2={width - 8} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
              {y.tickFormat(5)(tick).replace("-", "−")}
            </text>
          </g>
        ))}
        {x.ticks(6).map((tick) => (
          <text key={tick} x={x(tick)} y={HEIGHT - BOTTOM + 14} text-anchor="middle">
            {x.tickFormat(6)(tick).replace("-", "−")}
          </text>
        ))}
        <text x={(LEFT + width) / 2} y={HEIGHT - 4} text-anchor="middle">
          {people.name} (people)
        </text>
      </g>
      {points.map((point) => {
        const name = report.overview.systems[point.system]!.name;
        return (
          <circle
            key={point.system}
            class="mark still"
            cx={x(point.people)}
            cy={y(point.metric)}
            r={5}
            tabIndex={0}
            role="img"
            aria-label={name}
            {...tip(() => (
              <p>
                <strong>
                  <bdi>{name}</bdi>
                </strong>
                : {view.name} {number(point.metric, view.digits)}, {people.name}{" "}
                {number(point.people, people.digits)}
              </p>
            ))}
          />
        );
      })}
      {labels(points, x, y, width).map((point) => (
        <text
          key={point.system}
          class="soft label"
          aria-hidden="true"
          {...labelPlace(point, x, y, width)}
        >
          {report.overview.systems[point.system]!.name}
        </text>
      ))}
    </>
  );
}

const LETTER = 5.2; // the likely width of a letter at this size
const LINE = 11;

function labelPlace(point: Point, x: Scale, y: Scale, width: number) {
  const right = x(point.people) > width * 0.6;
  return {
    x: x(point.people) + (right ? -8 : 8),
    y: y(point.metric) + 3.5,
    "text-anchor": right ? ("end" as const) : ("start" as const),
  };
}

type Scale = (value: number) => number;

/** The points whose names can be written without running into another point or name. */
function labels(points: readonly Point[], x: Scale, y: Scale, chart: number): Point[] {
  const taken = points.map((point) => ({
    point,
    left: x(point.people) - 5,
    right: x(point.people) + 5,
    y: y(point.metric),
  }));
  return points.filter((point) => {
    const place = labelPlace(point, x, y, chart);
    const width = NAME_LETTERS * LETTER;
    const left = place["text-anchor"] === "end" ? place.x - width : place.x;
    const box = { point, left, right: left + width, y: y(point.metric) };
    const free = taken.every(
      (other) =>
        other.point === point ||
        Math.abs(other.y - box.y) > LINE ||
        other.left > box.right ||
        other.right < box.left,
    );
    if (free) taken.push({ ...box, point: { ...point } });
    return free;
  });
}

const NAME_LETTERS = 12;
