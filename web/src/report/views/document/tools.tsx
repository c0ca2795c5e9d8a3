// What to see of a document: which systems, which highlights.

import { change, type Route } from "../../../shared/router";
import type { Report } from "../../data/report";
import { number } from "../../format";
import { Choices, metricOptions, Select, SystemName } from "../../pieces";
import { byScore, type DocumentSetting, systemsSetting } from "./setting";

export function DocumentTools(props: { report: Report; route: Route; setting: DocumentSetting }) {
  const { report, route, setting } = props;
  const shown = setting.difference
    ? "difference"
    : setting.layer === null
      ? "nothing"
      : report.layers[setting.layer]!.name;
  const layers = [
    { value: "nothing", name: "plain text" },
    ...report.layers.map(({ name, people }) => ({
      value: name,
      name: people ? `${name} (people)` : name,
    })),
    { value: "difference", name: "word difference" },
  ];
  return (
    <div class="tools">
      <div class="labelled">
        <span class="name">Highlight</span>
        <Choices
          label="Highlight"
          options={layers}
          value={shown}
          onChange={(show) => change(route, { show })}
        />
      </div>
      <Select
        label="Scores"
        options={metricOptions(report.metrics)}
        value={setting.metric}
        onChange={(value) => change(route, { metric: report.metrics[value]!.name })}
      />
      <SystemChips {...props} />
    </div>
  );
}

function SystemChips(props: { report: Report; route: Route; setting: DocumentSetting }) {
  const { report, route, setting } = props;
  const document = report.documentNamed(route.subject);
  const view = report.metrics[setting.metric]!;
  const toggle = (system: number) => {
    const without = setting.systems.filter((each) => each !== system);
    const next = without.length < setting.systems.length ? without : [...setting.systems, system];
    if (next.length) change(route, { systems: systemsSetting(report, next) });
  };
  return (
    <div class="labelled wide">
      <span class="name">Systems, best on this document first</span>
      <div class="chips" role="group" aria-label="Systems shown">
        {byScore(report, setting.metric, document).map((system) => (
          <button
            type="button"
            key={system}
            aria-pressed={setting.systems.includes(system)}
            onClick={() => toggle(system)}
          >
            <SystemName {...report.overview.systems[system]!} />{" "}
            <span class="soft">
              {number(report.documentScore(setting.metric, system, document), view.digits)}
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}
