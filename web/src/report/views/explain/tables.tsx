// The tables behind the paragraph: parts that add up, words, errors, marks, terms.

import { scaleLinear } from "d3-scale";
import { Fragment } from "preact";
import { useEffect } from "preact/hooks";

import type { ExplainedMetric, ExplainedPair, ExplainedTable } from "../../../generated/report";
import { address, type Route } from "../../../shared/router";
import type { Report } from "../../data/report";
import type { PlainTable } from "../../export";
import { TableExport } from "../../pieces";
import { systemsSetting } from "../document/setting";

const PREFIX = "table-";

/** Leads from a clause to its evidence; the table is part of the address. */
export function useJump(table: string | null, explained: ExplainedMetric) {
  const to = (name: string) => {
    const target = document.getElementById(PREFIX + name);
    target?.scrollIntoView({ block: "start" });
    target?.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (table !== null) to(table);
  }, [table, explained]);
  return {
    to,
    address: (route: Route, name: string) =>
      address(route.view, null, { ...Object.fromEntries(route.settings), table: name }),
  };
}

export function ExplainedHeading(props: { name: string; number: number; title: string }) {
  return (
    <h3 id={PREFIX + props.name} tabIndex={-1}>
      {props.number} {props.title}
    </h3>
  );
}

export function ExplainedTables(props: {
  report: Report;
  pair: ExplainedPair;
  explained: ExplainedMetric;
}) {
  return (
    <div class="why-tables">
      {props.explained.tables.map((table, i) => (
        <OneTable key={table.name} {...props} table={table} number={i + 1} />
      ))}
    </div>
  );
}

function OneTable(props: {
  report: Report;
  pair: ExplainedPair;
  table: ExplainedTable;
  number: number;
}) {
  const { report, pair, table } = props;
  const [first, second] = [pair.first, pair.second].map((i) => report.overview.systems[i]!.name);
  // Before the numbers, where a narrow screen shows it.
  const drawn = table.measured.some((each) => each !== null) ? table.numeric[0] : undefined;
  const numeric = (column: number) => (table.numeric.includes(column) ? "number" : "");
  return (
    <section class="why-table" aria-labelledby={PREFIX + table.name}>
      <div class="heading">
        <ExplainedHeading name={table.name} number={props.number} title={table.title} />
        <TableExport
          name={`${first}-${second}-${table.name}`}
          of={table.title}
          table={() => plain(table, first!, second!)}
        />
      </div>
      <div class="scrolls" tabIndex={0} role="region" aria-label={table.title}>
        <table class="parts">
          <thead>
            <tr>
              {table.headings.map((heading, i) => (
                <Fragment key={i}>
                  {drawn === i && (
                    <th scope="col">
                      <span class="unseen">drawn</span>
                    </th>
                  )}
                  <th scope="col" class={numeric(i)}>
                    {heading || <span class="unseen">part</span>}
                  </th>
                </Fragment>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, i) => (
              <tr key={i} class={row[0] === "together" ? "together" : ""}>
                <th scope="row">
                  <Cell {...{ report, pair, table, row }} column={0} />
                </th>
                {row.slice(1).map((cell, before) => (
                  <Fragment key={before}>
                    {drawn === before + 1 && (
                      <td class="drawn">
                        <Balance table={table} row={i} />
                      </td>
                    )}
                    <td class={numeric(before + 1)}>
                      {cell && <Cell {...{ report, pair, table, row }} column={before + 1} />}
                    </td>
                  </Fragment>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {table.notes.map((note) => (
        <p key={note} class="why-note">
          {note}
        </p>
      ))}
    </section>
  );
}

/** A cell; the name of a document leads there, and to the segment where there is one. */
function Cell(props: {
  report: Report;
  pair: ExplainedPair;
  table: ExplainedTable;
  row: readonly string[];
  column: number;
}) {
  const { report, pair, table, row, column } = props;
  const text = row[column]!;
  if (table.headings[column] !== "document" || report.documentNamed(text) < 0) {
    return <bdi>{text.replace(/-(?=\d)/g, "−")}</bdi>;
  }
  const segment = row[table.headings.indexOf("segment")] ?? null;
  const target = address("document", text, {
    segment,
    systems: systemsSetting(report, [pair.first, pair.second]),
    show: "difference",
  });
  return (
    <a href={target}>
      <bdi>{text}</bdi>
    </a>
  );
}

const WIDTH = 140;

/** A number and its interval on a line through 0, on the scale of its table. */
function Balance(props: { table: ExplainedTable; row: number }) {
  const of = props.table.measured[props.row];
  if (!of) return null;
  const ends = props.table.measured.flatMap((each) =>
    each ? [each.value, each.low ?? 0, each.high ?? 0] : [],
  );
  const x = scaleLinear([Math.min(0, ...ends), Math.max(0, ...ends)], [5, WIDTH - 5]);
  return (
    <svg
      width={WIDTH}
      height="16"
      viewBox={`0 0 ${WIDTH} 16`}
      aria-hidden="true"
      class={`balance ${of.holds ? "" : "open"}`}
    >
      <line class="zero" x1={x(0)} x2={x(0)} y1={0} y2={16} />
      {of.low !== null && of.high !== null && (
        <line class="whisker" x1={x(of.low)} x2={x(of.high)} y1={8} y2={8} />
      )}
      <circle class="dot" cx={x(of.value)} cy={8} r={3.5} />
    </svg>
  );
}

function plain(table: ExplainedTable, first: string, second: string): PlainTable {
  return {
    headings: table.headings,
    rows: table.rows,
    notes: [`A is ${first}, B is ${second}`, ...table.notes],
  };
}
