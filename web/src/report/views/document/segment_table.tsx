// The texts in columns, a row a segment; long documents are drawn block by block as one scrolls.

import { useLoaded } from "../../../shared/loading";
import { type Hovering, MarkedText } from "../../../shared/marked_text";
import { WhenNear } from "../../../shared/window";
import type { Marks } from "../../data/marks";
import type { DocumentTexts, Report } from "../../data/report";
import { number } from "../../format";
import { SystemName } from "../../pieces";
import type { DocumentSetting } from "./setting";

const BLOCK = 30;
const LIKELY_ROW = 84; // pixels, until a block has been drawn

interface Column {
  readonly side: number;
  readonly system: number | null;
  readonly name: string;
  readonly language: string | null;
}

function columnsOf(report: Report, setting: DocumentSetting): Column[] {
  const { source_language: from, target_language: to } = report.overview.facts;
  return [
    { side: 0, system: null, name: "source", language: from },
    ...setting.references.map((i) => ({
      side: 1 + i,
      system: null,
      name: `reference ${report.references[i]}`,
      language: to,
    })),
    ...setting.systems.map((system) => ({
      side: report.sideOf(system),
      system,
      name: report.overview.systems[system]!.name,
      language: to,
    })),
  ];
}

export function SegmentTable(props: {
  report: Report;
  setting: DocumentSetting;
  document: number;
  texts: DocumentTexts;
  marks: Marks;
  hovering: Hovering;
  onExplain: (system: number) => void;
  /** The address of a passage. */
  hrefOf: (segment: number) => string;
}) {
  const { report, setting, texts } = props;
  const columns = columnsOf(report, setting);
  const wanted = setting.segment;
  const scores = useLoaded(() => report.segmentScores(setting.metric), [setting.metric]);
  const blocks: number[] = [];
  for (let first = 0; first < texts.texts.length; first += BLOCK) blocks.push(first);
  const width = {
    gridTemplateColumns: `2.2rem repeat(${columns.length}, minmax(var(--least, 13rem), 1fr))`,
  };
  return (
    <div class="scrolls-wide">
      <div class="segments" role="table" aria-label="Segments" aria-rowcount={texts.texts.length}>
        <div class="row head" role="row" style={width}>
          <span role="columnheader">
            <span class="unseen">segment</span>
          </span>
          {columns.map((column) => (
            <ColumnHead key={column.side} {...props} column={column} />
          ))}
        </div>
        {blocks.map((first) => (
          <WhenNear
            key={first}
            height={LIKELY_ROW * Math.min(BLOCK, texts.texts.length - first)}
            now={wanted !== null && wanted >= first && wanted < first + BLOCK}
          >
            {() =>
              texts.texts
                .slice(first, first + BLOCK)
                .map((row, i) => (
                  <SegmentRow
                    key={first + i}
                    {...props}
                    {...{ columns, scores, row, width }}
                    segment={first + i}
                  />
                ))
            }
          </WhenNear>
        ))}
      </div>
    </div>
  );
}

function ColumnHead(props: {
  report: Report;
  setting: DocumentSetting;
  document: number;
  column: Column;
  onExplain: (system: number) => void;
}) {
  const { report, setting, column } = props;
  if (column.system === null) return <span role="columnheader">{column.name}</span>;
  const { system } = column;
  const view = report.metrics[setting.metric]!;
  const score = report.documentScore(setting.metric, system, props.document);
  const several = setting.systems.length > 1 && setting.layer !== null;
  return (
    <span role="columnheader">
      <SystemName {...report.overview.systems[system]!} />{" "}
      <span class="soft">
        {view.name} {number(score, view.digits)}
      </span>
      {several && report.layers[setting.layer!]!.kind === "marks" && (
        <button
          type="button"
          class="explain"
          aria-pressed={setting.explained === system}
          onClick={() => props.onExplain(system)}
        >
          explain
        </button>
      )}
    </span>
  );
}

function SegmentRow(props: {
  report: Report;
  setting: DocumentSetting;
  document: number;
  texts: DocumentTexts;
  marks: Marks;
  hovering: Hovering;
  columns: readonly Column[];
  scores: Float64Array | null;
  row: readonly (string | null)[];
  width: { gridTemplateColumns: string };
  segment: number;
  hrefOf: (segment: number) => string;
}) {
  const { setting, segment } = props;
  const label = props.texts.labels?.[segment];
  const current = setting.segment === segment ? " current" : "";
  return (
    <div class={`row${current}`} role="row" id={`segment-${segment}`} style={props.width}>
      <span class="count" role="rowheader">
        <a class="plain" href={props.hrefOf(segment)} title="Link to this passage">
          {segment + 1}
        </a>
      </span>
      {props.columns.map((column) => (
        <div
          class={`cell${column.side === 0 ? " source" : ""}`}
          role="cell"
          key={column.side}
          data-side={column.name}
        >
          <SegmentText {...props} column={column} text={props.row[column.side] ?? null} />
          {column.side === 0 && label && <p class="segment-label">{label}</p>}
          {column.system !== null && <SegmentScore {...props} system={column.system} />}
        </div>
      ))}
    </div>
  );
}

function SegmentText(props: {
  column: Column;
  segment: number;
  text: string | null;
  marks: Marks;
  hovering: Hovering;
}) {
  if (props.text === null) return <p class="soft">absent</p>;
  const marks = props.marks.at(props.column.side, props.segment);
  if (props.text === "" && marks.length === 0) return <p class="soft">empty</p>;
  return (
    <MarkedText
      text={props.text}
      language={props.column.language}
      marks={marks}
      hovering={props.hovering}
    />
  );
}

function SegmentScore(props: {
  report: Report;
  setting: DocumentSetting;
  document: number;
  scores: Float64Array | null;
  segment: number;
  system: number;
}) {
  const { report, setting, scores } = props;
  const view = report.metrics[setting.metric]!;
  if (!scores?.length || view.segment_digits === null) return null;
  const at =
    props.system * report.segmentCount + report.firstSegment[props.document]! + props.segment;
  return <p class="segment-score">{number(scores[at], view.segment_digits)}</p>;
}
