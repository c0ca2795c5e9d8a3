// Small pieces that several views use.

import type { ComponentChildren } from "preact";

import type { MetricView } from "../generated/report";
import { csv, fileName, latex, type PlainTable, save } from "./export";

export function Section(props: {
  title: string;
  class?: string;
  lead?: ComponentChildren;
  tools?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class={`block ${props.class ?? ""}`}>
      <div class="heading">
        <div>
          <h2>{props.title}</h2>
          {props.lead && <p class="lead">{props.lead}</p>}
        </div>
        {props.tools}
      </div>
      {props.children}
    </section>
  );
}

/** A few choices of which one holds. */
export function Choices<T extends string | number>(props: {
  label: string;
  options: readonly { readonly value: T; readonly name: string }[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <div class="choices" role="group" aria-label={props.label}>
      {props.options.map((option) => (
        <button
          type="button"
          key={option.value}
          aria-pressed={option.value === props.value}
          onClick={() => props.onChange(option.value)}
        >
          {option.name}
        </button>
      ))}
    </div>
  );
}

export function Select<T extends string | number>(props: {
  label: string;
  options: readonly { readonly value: T; readonly name: string }[];
  value: T;
  onChange: (value: T) => void;
}) {
  const choose = (event: Event) => {
    const position = (event.currentTarget as HTMLSelectElement).selectedIndex;
    props.onChange((props.options[position] as { value: T }).value);
  };
  return (
    <label>
      {props.label}
      <select value={String(props.value)} onChange={choose}>
        {props.options.map((option) => (
          <option key={option.value} value={String(option.value)}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function metricOptions(metrics: readonly MetricView[]) {
  return metrics.map((metric, value) => ({ value, name: titleOf(metric) }));
}

/** People's judgements are named as such wherever a metric could stand. */
export function titleOf(metric: MetricView): string {
  return metric.people ? `${metric.name} (people)` : metric.name;
}

export function SystemName(props: { name: string; human?: boolean }) {
  return (
    <>
      <bdi class="long-name" title={props.name}>
        {props.name}
      </bdi>
      {props.human && <span class="human">human</span>}
    </>
  );
}

/** A table to take away: for a paper, or for a spreadsheet. */
export function TableExport(props: { name: string; of?: string; table: () => PlainTable }) {
  const name = fileName(props.name);
  return (
    <div class="exports" role="group" aria-label={`Save ${props.of ?? "this table"}`}>
      <button type="button" onClick={() => save(`${name}.tex`, latex(props.table()), "text/x-tex")}>
        LaTeX
      </button>
      <button type="button" onClick={() => save(`${name}.csv`, csv(props.table()), "text/csv")}>
        CSV
      </button>
    </div>
  );
}

export function Legend(props: { children: ComponentChildren }) {
  return <div class="legend">{props.children}</div>;
}

export function Key(props: { class: string; children: ComponentChildren }) {
  return (
    <span>
      <span class={`key ${props.class}`} aria-hidden="true" />
      {props.children}
    </span>
  );
}
