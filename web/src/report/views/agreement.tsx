// Agreement with people: which metric should one believe, and how large must a difference be?

import { scaleLinear } from "d3-scale";
import { useState } from "preact/hooks";

import type { AgreementFinding, People, StatisticColumn } from "../../generated/report";
import type { Route } from "../../shared/router";
import { WhiskerLine } from "../../shared/whisker";
import { tip } from "../../shared/tip";
import { PeopleScatter } from "../charts/people_scatter";
import { PreferenceBars } from "../charts/preferences";
import type { Report } from "../data/report";
import type { PlainTable } from "../export";
import { number, pValue } from "../format";
import { Term, termOf } from "../glossary";
import { Choices, Key, Legend, Section, TableExport } from "../pieces";

export function AgreementView(props: { report: Report; route: Route }) {
  const { people } = props.report.overview;
  if (!people) return <p class="nothing">This report was made without human judgements.</p>;
  return (
    <>
      <Section
        title={`Which metric agrees with people (${people.kind})?`}
        lead={
          <>
            {people.settings}. A rank begins where a metric of the rank above is significantly
            better. Correlations run from −1 to 1, accuracies from 0 to 1. A cell without a rank or
            an interval: the metric’s score of a system is not the mean of its judged segments.
          </>
        }
        tools={
          <TableExport
            name={`${props.report.overview.facts.testset}-agreement`}
            table={() => findingsTable(people)}
          />
        }
      >
        <FindingsTable people={people} />
      </Section>
      <Section
        title="Systems: metric against people"
        lead="A dot is a system; both axes point to better."
      >
        <div class="many">
          {people.averages.map(({ metric }) => (
            <PeopleScatter key={metric} report={props.report} metric={metric} />
          ))}
        </div>
      </Section>
      <Preferences people={people} />
    </>
  );
}

function FindingsTable(props: { people: People }) {
  const { columns, averages } = props.people;
  return (
    <div class="scrolls">
      <table class="standings compact">
        <caption class="unseen">Agreement of each metric with people</caption>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col">
              <Term of="average">Average</Term>
            </th>
            {columns.map((column) => (
              <th key={column.statistic} scope="col" class="statistic">
                <Statistic name={column.statistic} />
                {column.baseline !== null && (
                  <span class="soft"> (ties alone: {number(column.baseline, 3)})</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {averages.map((average) => (
            <tr key={average.metric}>
              <th scope="row">
                <span class="long-name" title={average.metric}>
                  {average.metric}
                </span>
              </th>
              <td data-metric="Average">
                <FoundCell found={average} all={averages} />
              </td>
              {columns.map((column) => (
                <FindingCell key={column.statistic} column={column} metric={average.metric} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Statistic(props: { name: string }) {
  const term = termOf(props.name);
  return term === null ? <>{props.name}</> : <Term of={term}>{props.name}</Term>;
}

/** The same to take away, the first rank of each column bold. */
function findingsTable(people: People): PlainTable {
  const columns = [
    { name: "average", findings: people.averages },
    ...people.columns.map(({ statistic, findings }) => ({ name: statistic, findings })),
  ];
  const best = new Set<string>();
  const rows = people.averages.map(({ metric }, row) => {
    const cells = columns.flatMap(({ findings }, column) => {
      const found = findings.find((each) => each.metric === metric);
      if (!found || found.value === null) return ["–", "", ""];
      if (found.rank === 1) best.add(`${row} ${1 + 3 * column}`);
      const interval =
        found.low === null ? "" : `[${number(found.low, 3)}, ${number(found.high, 3)}]`;
      return [number(found.value, 3), interval, String(found.rank ?? "")];
    });
    return [metric, ...cells];
  });
  const headings = columns.flatMap(({ name }) => [name, "interval", "#"]);
  return {
    headings: ["metric", ...headings],
    rows,
    best,
    notes: [people.task, people.settings],
  };
}

function FindingCell(props: { column: StatisticColumn; metric: string }) {
  const { column, metric } = props;
  const found = column.findings.find((each) => each.metric === metric);
  if (!found || found.value === null) return <td data-metric={column.statistic}>–</td>;
  const tests = column.tests.filter((test) => test.first === metric || test.second === metric);
  return (
    <td
      tabIndex={0}
      data-metric={column.statistic}
      {...tip(() => (
        <>
          <p>
            <strong>{metric}</strong>, {column.statistic}: {number(found.value, 3)}
            {found.low !== null && ` [${number(found.low, 3)}, ${number(found.high, 3)}]`}
          </p>
          {tests.map((test) => (
            <p key={`${test.first} ${test.second}`}>
              {test.first} better than {test.second}: {pValue(test.p)}
            </p>
          ))}
        </>
      ))}
    >
      <FoundCell found={found} all={column.findings} />
    </td>
  );
}

function FoundCell(props: { found: AgreementFinding; all: readonly AgreementFinding[] }) {
  const { found } = props;
  return (
    <span class="cell">
      {found.rank === null ? (
        <span />
      ) : (
        <span class={`cluster ${found.rank === 1 ? "first" : ""}`}>
          <span class="unseen">rank </span>
          {found.rank}
        </span>
      )}
      <span class="score">{number(found.value, 3)}</span>
      <FindingWhisker {...props} />
    </span>
  );
}

function FindingWhisker(props: { found: AgreementFinding; all: readonly AgreementFinding[] }) {
  const { low, high, value } = props.found;
  if (low === null || high === null || value === null) return <span />;
  const all = props.all.flatMap((each) => [each.low, each.high]);
  const known = all.filter((each): each is number => each !== null);
  const x = scaleLinear([Math.min(...known), Math.max(...known)], [3, WHISKER - 3]);
  return <WhiskerLine width={WHISKER} low={x(low)} high={x(high)} dot={x(value)} />;
}

const WHISKER = 88;

function Preferences(props: { people: People }) {
  const { preferences } = props.people;
  const levels = [...new Set(preferences.map((each) => each.level))];
  const [level, setLevel] = useState(levels[0] ?? "segment");
  return (
    <Section
      title="How large must a difference be?"
      lead="Pairs of translations of the same text, from the smallest difference in the metric to the largest: how often do people prefer the same one?"
      tools={
        <Choices
          label="Level"
          options={levels.map((value) => ({ value, name: `${value}s` }))}
          value={level}
          onChange={setLevel}
        />
      }
    >
      <div class="many">
        {preferences
          .filter((each) => each.level === level)
          .map((each) => (
            <PreferenceBars key={each.metric} preferences={each} />
          ))}
      </div>
      <Legend>
        <Key class="d5">people agree</Key>
        <Key class="d0 edged">people see no difference</Key>
        <Key class="d-5">people disagree</Key>
      </Legend>
    </Section>
  );
}
