// Several test sets in one report: an overview over all of them, and the report of each.

import { useEffect, useState } from "preact/hooks";

import type { SetsIndex, SetScore, SetSummary } from "../generated/report";
import { useLoaded } from "../shared/loading";
import { settle, useRoute } from "../shared/router";
import { TipHost } from "../shared/tip";
import { App, LookSwitch } from "./app";
import { Report } from "./data/report";
import type { PlainTable } from "./export";
import { counted, languageName, number } from "./format";
import { Help, Term } from "./glossary";
import { Choices, Section, TableExport } from "./pieces";

export function Sets(props: { index: SetsIndex }) {
  const { set } = useRoute();
  const known = set !== null && set < props.index.sets.length ? set : null;
  settle(known);
  return known === null ? <AllSets {...props} /> : <OneSet key={known} set={known} />;
}

function OneSet(props: { set: number }) {
  const report = useLoaded(() => Report.read(`${props.set}.`), [props.set]);
  return report ? <App report={report} several /> : <p class="nothing">Reading …</p>;
}

const home = (set: number) => `#/@${set}/overview`;

function languages(set: SetSummary): string {
  return `${languageName(set.source_language)} → ${languageName(set.target_language)}`;
}

/** Test sets of the same name, one for each language pair, are told apart by that. */
function title(index: SetsIndex, set: SetSummary): string {
  const alone = index.sets.filter(({ testset }) => testset === set.testset).length === 1;
  return alone ? set.testset : `${set.testset} ${set.source_language}-${set.target_language}`;
}

function AllSets(props: { index: SetsIndex }) {
  const { index } = props;
  useEffect(() => {
    document.title = `${counted(index.sets.length, "test set")} · isogloss report`;
  }, []);
  return (
    <div class="page">
      <header class="masthead">
        <div>
          <h1>{counted(index.sets.length, "test set")}</h1>
          <p class="facts">
            {counted(index.systems.length, "system")} · {counted(index.metrics.length, "metric")}
          </p>
        </div>
        <div class="switches">
          <Help />
          <LookSwitch />
        </div>
      </header>
      <main id="content">
        <section class="verdict" aria-label="Verdict">
          <h2>{index.headline}.</h2>
        </section>
        <Section title="Test sets" lead="What each of them says; choose one to see why.">
          <div class="scrolls">
            <table class="standings sets">
              <caption class="unseen">Test sets and who comes first on them</caption>
              <thead>
                <tr>
                  <th scope="col">Test set</th>
                  <th scope="col">Languages</th>
                  <th scope="col">Size</th>
                  <th scope="col">Who comes first</th>
                </tr>
              </thead>
              <tbody>
                {index.sets.map((set, i) => (
                  <tr key={i}>
                    <th scope="row">
                      <a href={home(i)}>
                        <bdi>{title(index, set)}</bdi>
                      </a>
                    </th>
                    <td data-metric="Languages">{languages(set)}</td>
                    <td data-metric="Size">
                      {counted(set.documents, "document")}, {counted(set.segments, "segment")}
                    </td>
                    <td data-metric="Who comes first">{set.headline ?? "–"}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Section>
        <Scores index={index} />
      </main>
      <TipHost />
    </div>
  );
}

/** The score of a system on a test set under a metric. */
function scoreOf(set: SetSummary, metric: number, system: number): SetScore | undefined {
  return set.scores.find((each) => each.metric === metric && each.system === system);
}

/** Systems by how good their rank clusters are on the test sets that have them. */
function ordered(index: SetsIndex, metric: number): number[] {
  const mean = (system: number) => {
    const clusters = index.sets.flatMap((set) => scoreOf(set, metric, system)?.cluster ?? []);
    return clusters.length === 0
      ? Infinity
      : clusters.reduce((sum, each) => sum + each, 0) / clusters.length;
  };
  return index.systems.map((_, i) => i).sort((one, other) => mean(one) - mean(other));
}

function Scores(props: { index: SetsIndex }) {
  const { index } = props;
  const [metric, setMetric] = useState(0);
  const order = ordered(index, metric);
  return (
    <Section
      title="Systems on all test sets"
      lead={
        <>
          Score and <Term of="cluster" />, best mean cluster first. Scores of different test sets
          cannot be compared with each other; clusters can.
        </>
      }
      tools={
        <>
          <Choices
            label="Metric"
            options={index.metrics.map((name, value) => ({ value, name }))}
            value={metric}
            onChange={setMetric}
          />
          <TableExport name="test-sets" table={() => plain(index, metric, order)} />
        </>
      }
    >
      <div class="scrolls">
        <table class="standings compact">
          <caption class="unseen">{index.metrics[metric]} of each system on each test set</caption>
          <thead>
            <tr>
              <th scope="col">System</th>
              {index.sets.map((set, i) => (
                <th key={i} scope="col">
                  {title(index, set)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map((system) => (
              <tr key={system}>
                <th scope="row">
                  <bdi class="long-name" title={index.systems[system]!}>
                    {index.systems[system]}
                  </bdi>
                </th>
                {index.sets.map((set, i) => (
                  <Cell key={i} name={title(index, set)} of={scoreOf(set, metric, system)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function Cell(props: { name: string; of: SetScore | undefined }) {
  const { of } = props;
  if (!of || of.score === null) return <td data-metric={props.name}>–</td>;
  return (
    <td data-metric={props.name}>
      <span class="cell">
        <span class="score">{number(of.score, of.digits)}</span>
        {of.cluster === null ? (
          <span />
        ) : (
          <span class={`cluster ${of.cluster === 1 ? "first" : ""}`}>
            <span class="unseen">cluster </span>
            {of.cluster}
          </span>
        )}
      </span>
    </td>
  );
}

function plain(index: SetsIndex, metric: number, order: readonly number[]): PlainTable {
  const best = new Set<string>();
  const rows = order.map((system, row) => {
    const cells = index.sets.flatMap((set, column) => {
      const found = scoreOf(set, metric, system);
      if (!found || found.score === null) return ["–", ""];
      if (found.cluster === 1) best.add(`${row} ${1 + 2 * column}`);
      return [number(found.score, found.digits), String(found.cluster ?? "")];
    });
    return [index.systems[system]!, ...cells];
  });
  const headings = index.sets.flatMap((set) => [title(index, set), "#"]);
  return { headings: ["system", ...headings], rows, best };
}
