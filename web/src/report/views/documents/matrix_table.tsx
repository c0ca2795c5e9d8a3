// Documents x systems as a table of colours; only the rows in view are drawn.

import { useRef } from "preact/hooks";

import { cellAt, useArrowKeys } from "../../../shared/grid";
import { address, change, go, type Route } from "../../../shared/router";
import { tip } from "../../../shared/tip";
import { useWindow } from "../../../shared/window";
import { divergingClass, sequentialClass } from "../../colour";
import { isOutlier, type Matrix, type Row } from "../../data/matrix";
import { rankedSystems, type Report } from "../../data/report";
import type { PlainTable } from "../../export";
import { number, signed } from "../../format";
import { titleOf } from "../../pieces";
import type { DocumentsSetting } from "./setting";

const ROW_HEIGHT = 28;

/** The same to take away: the documents that are shown, the best system of each bold. */
export function documentsTable(report: Report, metric: number, rows: readonly Row[]): PlainTable {
  const view = report.metrics[metric]!;
  const systems = rankedSystems(report, metric);
  const { ids, domain, domains, segments } = report.overview.documents;
  const best = new Set<string>();
  const lines = rows.map(({ document, scores, mean }, line) => {
    const known = systems.map((system) => scores[system]!).filter((score) => !Number.isNaN(score));
    const top = view.higher_is_better ? Math.max(...known) : Math.min(...known);
    systems.forEach((system, i) => scores[system] === top && best.add(`${line} ${4 + i}`));
    return [
      ids[document]!,
      domains[domain[document] ?? -1] ?? "",
      String(segments[document]),
      number(mean, view.digits),
      ...systems.map((system) => number(scores[system], view.digits)),
    ];
  });
  const names = systems.map((system) => report.overview.systems[system]!.name);
  return {
    headings: ["document", "domain", "segments", "mean", ...names],
    rows: lines,
    best,
    notes: [view.signature],
  };
}

export function MatrixTable(props: {
  report: Report;
  route: Route;
  setting: DocumentsSetting;
  matrix: Matrix;
  rows: readonly Row[];
}) {
  const { report, route, setting, rows } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const shown = useWindow(scroller, rows.length, ROW_HEIGHT);
  useArrowKeys(grid);
  const systems = rankedSystems(report, setting.metric);
  const sortBy = (sort: string) => change(route, { sort });
  return (
    <div class="matrix" ref={scroller}>
      <table ref={grid} aria-rowcount={rows.length + 1}>
        <caption class="unseen">
          {titleOf(report.metrics[setting.metric]!)} of each document and system
        </caption>
        <thead>
          <tr>
            <SortHeading sort="id" setting={setting} onSort={sortBy} name="Document" />
            <SortHeading sort="length" setting={setting} onSort={sortBy} name="Segments" />
            <SortHeading sort="mean" setting={setting} onSort={sortBy} name="Mean" />
            {systems
              .map((system) => report.overview.systems[system]!)
              .map(({ name }) => (
                <SortHeading
                  key={name}
                  sort={name}
                  setting={setting}
                  onSort={sortBy}
                  name={name}
                  upright
                />
              ))}
          </tr>
        </thead>
        <tbody>
          <Space height={shown.before} />
          {rows.slice(shown.first, shown.last).map((row, i) => (
            <MatrixRow
              key={row.document}
              {...props}
              systems={systems}
              row={row}
              position={shown.first + i}
            />
          ))}
          <Space height={shown.after} />
        </tbody>
      </table>
      {rows.length === 0 && <p class="nothing">No document is like that.</p>}
    </div>
  );
}

function Space(props: { height: number }) {
  if (props.height === 0) return null;
  return (
    <tr aria-hidden="true">
      <td style={{ height: `${props.height}px` }} />
    </tr>
  );
}

function SortHeading(props: {
  sort: string;
  setting: DocumentsSetting;
  onSort: (sort: string) => void;
  name: string;
  upright?: boolean;
}) {
  const sorted = props.setting.sort === props.sort;
  return (
    <th
      scope="col"
      class={props.upright ? "upright" : ""}
      {...(sorted ? { "aria-sort": "ascending" as const } : {})}
    >
      <button
        type="button"
        onClick={() => props.onSort(props.sort)}
        title={`sort by ${props.name}`}
      >
        <bdi>{props.name}</bdi>
      </button>
    </th>
  );
}

function MatrixRow(props: {
  report: Report;
  systems: readonly number[];
  setting: DocumentsSetting;
  matrix: Matrix;
  row: Row;
  position: number;
}) {
  const { report, setting, row, position } = props;
  const { ids, domain, domains, segments } = report.overview.documents;
  const id = ids[row.document]!;
  const digits = report.metrics[setting.metric]!.digits;
  const of = domain[row.document];
  return (
    <tr aria-rowindex={position + 2}>
      <th scope="row">
        <a href={address("document", id, { metric: report.metrics[setting.metric]!.name })}>
          <bdi>{id}</bdi>
        </a>
        {of !== null && of !== undefined && <span class="domain">{domains[of]}</span>}
      </th>
      <td class="count">{segments[row.document]}</td>
      <td class="count">{number(row.mean, digits)}</td>
      {props.systems.map((system, column) => (
        <Score key={system} {...props} {...{ system, column }} score={row.scores[system]!} />
      ))}
    </tr>
  );
}

function Score(props: {
  report: Report;
  setting: DocumentsSetting;
  matrix: Matrix;
  row: Row;
  position: number;
  score: number;
  system: number;
  column: number;
}) {
  const { report, setting, matrix, row, position, score, system } = props;
  const view = report.metrics[setting.metric]!;
  const id = report.overview.documents.ids[row.document]!;
  const name = report.overview.systems[system]!.name;
  const odd = isOutlier(matrix, row, system);
  const target = { systems: encodeURIComponent(name), metric: view.name };
  const open = () => go(address("document", id, target));
  return (
    <td
      class={`score ${colourOf(setting, matrix, row, system, view.higher_is_better)} ${odd ? "outlier" : ""}`}
      {...cellAt(position, props.column)}
      onClick={open}
      onKeyDown={(event) => event.key === "Enter" && open()}
      {...tip(() => (
        <>
          <p>
            <strong>
              <bdi>{name}</bdi>
            </strong>{" "}
            on <bdi>{id}</bdi>
          </p>
          <p>
            {view.name} {number(score, view.digits)}: {signed(score - row.mean, view.digits)}{" "}
            against the mean of this document, {signed(row.surprise[system], view.digits)} against
            what is usual
          </p>
          {odd && <p>An outlier.</p>}
        </>
      ))}
    >
      {number(score, Math.min(view.digits, view.digits > 2 ? 2 : 0))}
      {odd && <span class="unseen"> outlier</span>}
    </td>
  );
}

function colourOf(
  setting: DocumentsSetting,
  matrix: Matrix,
  row: Row,
  system: number,
  higherIsBetter: boolean,
): string {
  const sign = higherIsBetter ? 1 : -1;
  const score = row.scores[system]!;
  const reach = (matrix.high - matrix.low) / 3;
  switch (setting.colour) {
    case "score":
      return higherIsBetter
        ? sequentialClass(score, matrix.low, matrix.high)
        : sequentialClass(-score, -matrix.high, -matrix.low);
    case "document":
      return divergingClass(sign * (score - row.mean), reach);
    default:
      return divergingClass(sign * row.surprise[system]!, reach);
  }
}
