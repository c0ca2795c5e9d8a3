// Which metric, which order, which documents.

import { change, type Route } from "../../../shared/router";
import type { Report } from "../../data/report";
import { metricOptions, Select } from "../../pieces";
import { COLOURS, type DocumentsSetting } from "./setting";

export function DocumentsTools(props: { report: Report; route: Route; setting: DocumentsSetting }) {
  const { report, route, setting } = props;
  const orders = [
    { value: "file", name: "as in the test set" },
    { value: "id", name: "name" },
    { value: "length", name: "longest first" },
    { value: "mean", name: "worst mean first" },
    { value: "spread", name: "systems differ most first" },
    ...report.overview.systems.map(({ name }) => ({ value: name, name: `worst of ${name} first` })),
  ];
  const domains = [
    { value: "", name: "all" },
    ...report.overview.documents.domains.map((name) => ({ value: name, name })),
  ];
  return (
    <div class="tools">
      <Select
        label="Metric"
        options={metricOptions(report.metrics)}
        value={setting.metric}
        onChange={(value) => change(route, { metric: report.metrics[value]!.name })}
      />
      <Select
        label="Colour compares with"
        options={COLOURS}
        value={setting.colour}
        onChange={(colour) => change(route, { colour })}
      />
      <Select
        label="Order"
        options={orders}
        value={setting.sort}
        onChange={(sort) => change(route, { sort })}
      />
      {domains.length > 2 && (
        <Select
          label="Domain"
          options={domains}
          value={setting.domain}
          onChange={(domain) => change(route, { domain })}
        />
      )}
      <label>
        Find a document
        <input
          type="search"
          value={setting.search}
          onInput={(event) => change(route, { search: event.currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={setting.outliersOnly}
          onChange={(event) =>
            change(route, { outliers: event.currentTarget.checked ? "only" : null })
          }
        />
        only with outliers
      </label>
    </div>
  );
}
