// Segments: where do two systems, two metrics, or a metric and people differ most?

import { useMemo } from "preact/hooks";

import { useLoaded } from "../../shared/loading";
import { change, type Route } from "../../shared/router";
import { Growing } from "../../shared/window";
import { betweenMetrics, betweenSystems, type Case, placeOf } from "../data/disagreement";
import { documentFilter, kindsOf, useFound } from "../data/filters";
import type { Report } from "../data/report";
import { useSearch } from "../data/search";
import { counted } from "../format";
import { Choices, Select, titleOf } from "../pieces";
import { SegmentCard } from "./segments/card";
import { type Mode, type SegmentsSetting, segmentsSetting } from "./segments/setting";

export function SegmentsView(props: { report: Report; route: Route }) {
  const { report, route } = props;
  const setting = segmentsSetting(report, route);
  if (!setting)
    return (
      <p class="nothing">
        There is nothing to compare: no two systems or metrics with scores of segments.
      </p>
    );
  return (
    <>
      <h2 class="unseen">Segments</h2>
      <SegmentsTools {...{ report, route, setting }} />
      <Cases {...{ report, setting }} />
    </>
  );
}

const MODES: Record<Mode, string> = {
  systems: "two systems",
  metrics: "two metrics",
  people: "a metric and people",
};

function SegmentsTools(props: { report: Report; route: Route; setting: SegmentsSetting }) {
  const { report, route, setting } = props;
  const { overview } = report;
  const metrics = setting.metrics.map((value) => ({
    value,
    name: titleOf(report.metrics[value]!),
  }));
  const systems = overview.systems.map(({ name }, value) => ({ value, name }));
  const metric = (key: string) => (value: number) =>
    change(route, { [key]: report.metrics[value]!.name });
  const system = (key: string) => (value: number) =>
    change(route, { [key]: value < 0 ? null : overview.systems[value]!.name });
  return (
    <div class="tools">
      <div class="labelled">
        <span class="name">Disagreement between</span>
        <Choices
          label="Disagreement between"
          options={setting.modes.map((value) => ({ value, name: MODES[value] }))}
          value={setting.mode}
          onChange={(between) => change(route, { between })}
        />
      </div>
      {setting.mode === "systems" ? (
        <>
          <Select label="System" options={systems} value={setting.one} onChange={system("one")} />
          <Select
            label="Other system"
            options={systems}
            value={setting.other}
            onChange={system("other")}
          />
          <Select
            label="Metric"
            options={metrics}
            value={setting.metric}
            onChange={metric("metric")}
          />
        </>
      ) : (
        <>
          <Select
            label="Metric"
            options={metrics}
            value={setting.metric}
            onChange={metric("metric")}
          />
          {setting.mode === "metrics" && (
            <Select
              label="Other metric"
              options={metrics}
              value={setting.second}
              onChange={metric("second")}
            />
          )}
          <Select
            label="System"
            options={[{ value: -1, name: "all" }, ...systems]}
            value={setting.only ?? -1}
            onChange={system("only")}
          />
        </>
      )}
      <Filters {...props} />
      <label>
        Search in all texts
        <input
          type="search"
          value={setting.search}
          onInput={(event) => change(route, { search: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}

const LENGTHS = [
  { value: "", name: "all" },
  { value: "short", name: "the shortest third" },
  { value: "middle", name: "the middle third" },
  { value: "long", name: "the longest third" },
] as const;

/** Only some of the segments: of a domain, of documents of a length, with a phenomenon. */
function Filters(props: { report: Report; route: Route; setting: SegmentsSetting }) {
  const { report, route, setting } = props;
  const all = { value: "", name: "all" };
  const { domains } = report.overview.documents;
  const kinds = kindsOf(report);
  return (
    <>
      {domains.length > 1 && (
        <Select
          label="Domain"
          options={[all, ...domains.map((name) => ({ value: name, name }))]}
          value={setting.domain}
          onChange={(domain) => change(route, { domain })}
        />
      )}
      <Select
        label="Length of document"
        options={LENGTHS}
        value={setting.length}
        onChange={(length) => change(route, { length })}
      />
      {kinds.length > 0 && (
        <Select
          label="With evidence of"
          options={[{ ...all, name: "anything" }, ...kinds]}
          value={setting.found}
          onChange={(found) => change(route, { found })}
        />
      )}
    </>
  );
}

function Cases(props: { report: Report; setting: SegmentsSetting }) {
  const { report, setting } = props;
  const first = useLoaded(() => report.segmentScores(setting.metric), [setting.metric]);
  const second = useLoaded(() => report.segmentScores(setting.second), [setting.second]);
  const search = useSearch(report, setting.search);
  const { mode, one, other, metric, only } = setting;
  const ready = first !== null && second !== null;
  const all = useMemo(
    () => (ready ? casesOf(report, setting, first, second) : []),
    [ready, mode, one, other, metric, setting.second, only],
  );
  const systems = mode === "systems" ? [one, other] : only === null ? null : [only];
  const found = useFound(report, setting.found, systems);
  const inDocument = documentFilter(report, setting.domain, setting.length);
  const cases = all.filter(
    ({ segment }) =>
      (!search.hits || search.hits.has(segment)) &&
      (!found || found.has(segment)) &&
      inDocument(placeOf(report, segment).document),
  );
  return (
    <>
      <p class="lead" aria-live="polite">
        {explanation(report, setting)} {ready ? counted(cases.length, "segment") : "Reading …"}
        {search.running ? ", still searching …" : "."}
      </p>
      <Growing
        key={`${mode} ${one} ${other} ${metric} ${setting.second} ${only}`}
        count={cases.length}
      >
        {(shown) =>
          cases
            .slice(0, shown)
            .map((each) => (
              <SegmentCard
                key={`${each.system} ${each.segment}`}
                {...{ report, setting }}
                of={each}
              />
            ))
        }
      </Growing>
      {ready && cases.length === 0 && <p class="nothing">Nothing is like that.</p>}
    </>
  );
}

function casesOf(
  report: Report,
  setting: SegmentsSetting,
  first: Float64Array,
  second: Float64Array,
): Case[] {
  const better = (metric: number) => report.metrics[metric]!.higher_is_better;
  if (setting.mode === "systems") {
    return betweenSystems(report, first, setting.one, setting.other, better(setting.metric));
  }
  const turned = [better(setting.metric), better(setting.second)] as const;
  return betweenMetrics(report, first, second, turned, setting.only);
}

function explanation(report: Report, setting: SegmentsSetting): string {
  if (setting.mode === "systems") {
    return "The largest differences in score between the two systems come first.";
  }
  const second = titleOf(report.metrics[setting.second]!);
  return (
    `Translations that ${titleOf(report.metrics[setting.metric]!)} and ${second} rank most ` +
    "differently come first. The per cent say how many of all translations each finds worse."
  );
}
