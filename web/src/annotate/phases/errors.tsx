// Errors on the words: marking them, listing them, and the row of a translation that has them.

import type { ComponentChildren } from "preact";

import type { ErrorSpan } from "../../generated/annotate";
import { Offsets } from "../../shared/codepoints";
import type { ShownMark } from "../../shared/marked_text";
import { Scale } from "../input/scale";
import type { SelectionAction } from "../input/selecting";
import { OUTPUT, type Selected, SOURCE } from "../input/selection";
import { keyName } from "../input/shortcuts";
import { RowFrame, RowText } from "../task/row";
import { asks, type Row } from "../task/screens";
import type { MarkedKind } from "../task/values";
import { change, valueOf, type Work } from "../task/work";

export type SpanWork = Work<MarkedKind>;
type Severity = ErrorSpan["severity"];

const SEVERITIES: readonly (readonly [Severity, string])[] = [
  ["minor", "q"],
  ["major", "w"],
  ["critical", "e"],
];
const ADDITION = "Accuracy/Addition";
const OMISSION = "Accuracy/Omission";

/** The severities of the campaign, with their keys. */
export function offeredBy(work: SpanWork): readonly (readonly [Severity, string])[] {
  return SEVERITIES.filter(([name]) => work.task.severities.includes(name));
}

/** What can be done with words that are chosen. */
export function markingActions(work: SpanWork): SelectionAction[] {
  const offered = offeredBy(work);
  const usual = offered.some(([name]) => name === "major") ? "major" : offered[0]?.[0];
  return [
    ...offered.map(([severity, key]) => action(work, severity, key)),
    action(work, usual ?? "major", "a", ADDITION),
    leftOutOfSource(work),
  ];
}

function action(
  work: SpanWork,
  severity: Severity,
  key: string,
  category: string | null = null,
): SelectionAction {
  const rowOf = (selected: Selected) =>
    work.cursor.current.rows.find((row) => selected.place === OUTPUT(row.slot ?? ""));
  return {
    keys: [key],
    label: category ? "Added" : `${severity[0]?.toUpperCase()}${severity.slice(1)}`,
    applies: (selected) => rowOf(selected) !== undefined,
    run: ({ start, end, ...selected }) => {
      const row = rowOf({ start, end, ...selected }) as Row;
      addError(work, row, { start, end, severity, category, missing: false });
    },
  };
}

/** Words of the source that the present translation leaves out. */
function leftOutOfSource(work: SpanWork): SelectionAction {
  const { current, currentRow } = work.cursor;
  return {
    keys: ["m"],
    label: `Missing in ${currentRow.slot}`,
    applies: (selected) => asks(currentRow) && selected.place === SOURCE(current.segment),
    run: ({ start, end }) =>
      addError(work, currentRow, {
        start,
        end,
        severity: "major",
        category: OMISSION,
        missing: true,
        side: "source",
      }),
  };
}

/** In the order of the text; marking the same words again only changes the severity. */
function addError(work: SpanWork, row: Row, error: ErrorSpan): void {
  const others = valueOf(work, row).errors.filter((each) => !sameWords(each, error));
  const before = valueOf(work, row).errors.find((each) => sameWords(each, error));
  const kept = before?.prefilled === undefined ? error : { ...error, prefilled: before.prefilled };
  const errors = [...others, kept].sort(
    (one, other) => Number(inSource(one)) - Number(inSource(other)) || one.start - other.start,
  );
  change(work, row, { errors });
}

function sameWords(one: ErrorSpan, other: ErrorSpan): boolean {
  if (inSource(one) !== inSource(other) || (one.missing && !inSource(one))) return false;
  return one.start === other.start && one.end === other.end;
}

/** Words that are missing have no place: they stand at the end, and say that they are missing. */
export function leftOut(work: SpanWork, row: Row): void {
  const end = [...(row.text ?? "")].length;
  const error = { start: end, end, severity: "major", category: null, missing: true } as const;
  change(work, row, { errors: [...valueOf(work, row).errors, error] });
}

export function shorten(work: SpanWork, row: Row): void {
  change(work, row, { errors: valueOf(work, row).errors.slice(0, -1) });
}

/** Whoever has marked something in this task knows how. */
function everMarked(work: SpanWork): boolean {
  return work.task.items.some((item) => (work.answers.value(item)?.errors.length ?? 0) > 0);
}

export function SpanRow(props: {
  work: SpanWork;
  row: Row;
  index: number;
  onScore: (score: number) => void;
  /** What its words have to do with the other translations. */
  compared?: readonly ShownMark[];
  children?: ComponentChildren;
}) {
  const { work, row, index } = props;
  const { cursor } = work;
  const value = valueOf(work, row);
  const here = cursor.row === index;
  return (
    <RowFrame work={work} index={index} row={row}>
      <RowText
        work={work}
        row={row}
        here={here}
        marks={[...(props.compared ?? []), ...value.errors.filter(inOutput).map(shown)]}
      />
      <ErrorList work={work} row={row} here={here} />
      {here && !everMarked(work) && (
        <p class="how soft">Select words to mark an error; in the source, what was left out.</p>
      )}
      <div class="controls">
        <Scale
          label="Score"
          value={value.score}
          max={100}
          step={1}
          here={here}
          meaning={here ? work.task.scale : []}
          onChange={props.onScore}
          onFocus={() => cursor.go({ row: index, field: 0 })}
        />
        {here && (
          <button type="button" class="plain" onClick={() => leftOut(work, row)}>
            Something was left out <kbd>V</kbd>
          </button>
        )}
        {props.children}
      </div>
    </RowFrame>
  );
}

export function shown(error: ErrorSpan): ShownMark {
  const proposed = error.prefilled === undefined ? "" : " proposed";
  return { start: error.start, end: error.end, look: `error ${error.severity}${proposed}` };
}

export const inSource = (error: ErrorSpan) => error.side === "source";
export const inOutput = (error: ErrorSpan) => !inSource(error);

function ErrorList(props: { work: SpanWork; row: Row; here: boolean }) {
  const { work, row } = props;
  const { errors } = valueOf(work, row);
  if (errors.length === 0) return null;
  const source = work.task.source[work.cursor.current.segment] ?? "";
  const words = (error: ErrorSpan) => wordsAt(inSource(error) ? source : (row.text ?? ""), error);
  const replace = (gone: ErrorSpan, parts: Partial<ErrorSpan>) =>
    change(work, row, {
      errors: errors.map((each) => (each === gone ? { ...each, ...parts } : each)),
    });
  return (
    <ul class="errors" aria-label="Errors">
      {errors.map((error, i) => (
        <li key={i} class={error.severity}>
          <span class="words">
            {error.missing && <span class="soft">left out{inSource(error) && ":"}</span>}
            {(!error.missing || inSource(error)) && <bdi>{words(error)}</bdi>}
            {error.prefilled !== undefined && <span class="soft">proposed</span>}
          </span>
          <Severities
            error={error}
            offered={work.task.severities}
            onChange={(severity) => replace(error, { severity })}
          />
          <Category
            offered={work.task.categories}
            own={error.category}
            onChange={(category) => replace(error, { category })}
          />
          <button
            type="button"
            class="plain"
            aria-label="Remove this error"
            onClick={() => change(work, row, { errors: errors.filter((each) => each !== error) })}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function wordsAt(text: string, { start, end }: ErrorSpan): string {
  const offsets = new Offsets(text);
  return text.slice(offsets.unit(start), offsets.unit(end));
}

/** What a proposal calls its error is offered as well; where nothing is, nothing is asked. */
function Category(props: {
  offered: readonly string[];
  own: string | null;
  onChange: (category: string | null) => void;
}) {
  const { offered, own } = props;
  const all = own === null || offered.includes(own) ? offered : [own, ...offered];
  if (all.length === 0) return null;
  return (
    <select
      aria-label="Category"
      value={own ?? ""}
      onChange={(event) => props.onChange(event.currentTarget.value || null)}
    >
      <option value="">no category</option>
      {all.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Severities(props: {
  error: ErrorSpan;
  offered: readonly string[];
  onChange: (severity: Severity) => void;
}) {
  const offered = SEVERITIES.filter(
    ([name]) => props.offered.includes(name) || name === props.error.severity,
  );
  return (
    <span class="severities" role="group" aria-label="Severity">
      {offered.map(([severity, key]) => (
        <button
          key={severity}
          type="button"
          title={keyName(key)}
          aria-pressed={props.error.severity === severity}
          onClick={() => props.onChange(severity)}
        >
          {severity}
        </button>
      ))}
    </span>
  );
}
