// Explain: why does one system beat another?

import type { ExplainedMetric, ExplainedPair } from "../../generated/report";
import { useLoaded } from "../../shared/loading";
import { change, type Route } from "../../shared/router";
import type { Report } from "../data/report";
import { metricOptions, Select } from "../pieces";
import { NotExplained } from "./explain/missing";
import { Passages } from "./explain/passages";
import { type ExplainSetting, explainSetting } from "./explain/setting";
import { ExplainedTables, useJump } from "./explain/tables";

export function ExplainView(props: { report: Report; route: Route }) {
  const { report, route } = props;
  const setting = explainSetting(report, route);
  return (
    <>
      <Tools {...props} setting={setting} />
      {setting.one === setting.other ? (
        <>
          <h2 class="unseen">Why A beats B</h2>
          <p class="nothing">Choose two different systems.</p>
        </>
      ) : (
        <Why key={`${setting.one} ${setting.other}`} {...{ report, route, setting }} />
      )}
    </>
  );
}

function Tools(props: { report: Report; route: Route; setting: ExplainSetting }) {
  const { report, route, setting } = props;
  const { systems, verdict } = report.overview;
  const known = [...verdict.order, ...systems.map((_, i) => i)];
  const options = [...new Set(known)].map((value) => ({ value, name: systems[value]!.name }));
  const choose = (key: string) => (system: number) =>
    change(route, { [key]: systems[system]!.name, table: null });
  return (
    <div class="tools">
      <Select label="System" options={options} value={setting.one} onChange={choose("one")} />
      <Select
        label="Other system"
        options={withoutExplanation(report, setting.one, options)}
        value={setting.other}
        onChange={choose("other")}
      />
      <Select
        label="Metric"
        options={metricOptions(report.metrics)}
        value={setting.metric}
        onChange={(value) => change(route, { metric: report.metrics[value]!.name })}
      />
    </div>
  );
}

type Option = { readonly value: number; readonly name: string };

/** Says of the systems that were not taken apart against this one that they were not. */
function withoutExplanation(report: Report, one: number, options: readonly Option[]): Option[] {
  return options.map((option) =>
    option.value === one || report.explained(one, option.value)
      ? option
      : { ...option, name: `${option.name} (scores only)` },
  );
}

function Why(props: { report: Report; route: Route; setting: ExplainSetting }) {
  const { report, setting } = props;
  const found = report.explained(setting.one, setting.other);
  const position = found ? found.pair.metrics.indexOf(setting.metric) : -1;
  const part = useLoaded(
    () => (found ? report.explanation(found.number) : Promise.resolve(null)),
    [found?.number],
  );
  const title = found
    ? heading(report, found.pair.first, found.pair.second)
    : heading(report, setting.one, setting.other);
  return (
    <>
      <h2 class="why-title">{title}</h2>
      {!found || position < 0 ? (
        <NotExplained {...props} pair={found?.pair ?? null} />
      ) : part ? (
        <Explained {...props} pair={found.pair} explained={part.metrics[position]!} />
      ) : (
        <p class="nothing">Reading …</p>
      )}
    </>
  );
}

function heading(report: Report, first: number, second: number) {
  const name = (system: number) => <bdi>{report.overview.systems[system]!.name}</bdi>;
  return (
    <>
      {name(first)} against {name(second)}
    </>
  );
}

function Explained(props: {
  report: Report;
  route: Route;
  setting: ExplainSetting;
  pair: ExplainedPair;
  explained: ExplainedMetric;
}) {
  const { report, route, setting, pair, explained } = props;
  const jump = useJump(setting.table, explained);
  const names = [pair.first, pair.second].map((system) => report.overview.systems[system]!.name);
  const numbers = new Map(explained.tables.map((table, i) => [table.name, i + 1]));
  if (explained.passages.length) numbers.set("passages", numbers.size + 1);
  return (
    <>
      <section class="verdict why" aria-label="Why">
        <p>
          {explained.clauses.map((clause, i) => (
            <span key={i}>
              <bdi>{clause.text}</bdi>{" "}
              {clause.tables.map((table) => (
                <a
                  key={table}
                  class="evidence-link"
                  href={jump.address(route, table)}
                  onClick={() => jump.to(table)}
                >
                  <span class="unseen">evidence: table </span>
                  {numbers.get(table)}
                </a>
              ))}{" "}
            </span>
          ))}
        </p>
      </section>
      {explained.notes.map((note) => (
        <p key={note} class="lead">
          <bdi>{note}</bdi>
        </p>
      ))}
      <p class="lead">
        In the tables A is{" "}
        <strong>
          <bdi>{names[0]}</bdi>
        </strong>{" "}
        and B is{" "}
        <strong>
          <bdi>{names[1]}</bdi>
        </strong>
        ; parts of a table add up to the whole difference A − B. A line shows a number with its
        interval, full where it is more than chance.
      </p>
      <ExplainedTables {...{ report, pair, explained }} />
      {explained.passages.length > 0 && (
        <Passages {...{ report, pair, explained }} number={numbers.get("passages")!} />
      )}
      {report.overview.unexplained && (
        <p class="lead">
          <bdi>{report.overview.unexplained}</bdi>
        </p>
      )}
    </>
  );
}
