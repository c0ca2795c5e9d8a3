// ESA and MQM: errors are marked where they are, then the segment gets a score from 0 to 100.

import type { ErrorSpan } from "../../generated/annotate";
import { Offsets } from "../../shared/codepoints";
import type { ShownMark } from "../../shared/marked_text";
import { Scale } from "../input/scale";
import { type SelectionAction, useSelecting } from "../input/selecting";
import { OUTPUT, type Selected, SOURCE } from "../input/selection";
import { keyName, type Shortcut } from "../input/shortcuts";
import { RowFrame, RowText } from "../task/row";
import { asks, type Row } from "../task/screens";
import { change, valueOf, type Work } from "../task/work";
import { Workbench } from "../task/workbench";
import { useScoreKeys } from "./percent";
import { WholeQuestion, WholeRow } from "./whole";

type SpanWork = Work<"spans">;
type Severity = ErrorSpan["severity"];

const SEVERITIES: readonly (readonly [Severity, string])[] = [
  ["minor", "q"],
  ["major", "w"],
  ["critical", "e"],
];
const ADDITION = "Accuracy/Addition";
const OMISSION = "Accuracy/Omission";

export function Spans(props: { work: SpanWork }) {
  const { work } = props;
  const { cursor, task } = work;
  const { currentRow } = cursor;
  const offered = SEVERITIES.filter(([name]) => task.severities.includes(name));
  const usual = task.severities.includes("major") ? "major" : (offered[0]?.[0] ?? "major");
  const selecting = useSelecting([
    ...offered.map(([severity, key]) => action(work, severity, key)),
    action(work, usual, "a", ADDITION),
    leftOutOfSource(work),
  ]);
  const score = (row: Row, number: number) => {
    if (asks(row)) change(work, row, { score: number });
  };
  const marking: Shortcut[] = [
    {
      keys: ["o"],
      label: "Choose words of the translation",
      run: () => selecting.picking.begin(OUTPUT(currentRow.slot ?? "")),
    },
    {
      keys: offered.map(([, key]) => key),
      label: `Chosen words are a ${offered.map(([name]) => name).join(", ")} error`,
      run: () => undefined,
    },
    { keys: ["a"], label: "Chosen words were added", run: () => undefined },
    {
      keys: ["s"],
      label: "Choose words of the source that were left out",
      run: () => selecting.picking.begin(SOURCE(cursor.current.segment)),
    },
    { keys: ["v"], label: "Something was left out", run: () => leftOut(work, currentRow) },
    { keys: ["Backspace"], label: "Remove the last error", run: () => shorten(work, currentRow) },
  ];
  const { whole } = cursor.current;
  useScoreKeys("Marking errors", work, score, whole ? [] : marking);
  return (
    <Workbench
      work={work}
      title={task.document}
      unit="Segment"
      selecting={selecting}
      marks={(segment) =>
        segment === cursor.current.segment
          ? valueOf(work, currentRow).errors.filter(inSource).map(shown)
          : []
      }
      above={whole && <WholeQuestion />}
    >
      {cursor.current.rows.map((row, index) =>
        whole ? (
          <WholeRow
            key={row.item}
            work={work}
            row={row}
            index={index}
            onScore={score}
            marks={(segment, slot) =>
              (work.answers.value(`seg:${segment}/${slot}`)?.errors ?? [])
                .filter(inOutput)
                .map(shown)
            }
          />
        ) : (
          <SpanRow
            key={row.item}
            work={work}
            row={row}
            index={index}
            onScore={(next) => score(row, next)}
          />
        ),
      )}
    </Workbench>
  );
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
function leftOut(work: SpanWork, row: Row): void {
  const end = [...(row.text ?? "")].length;
  const error = { start: end, end, severity: "major", category: null, missing: true } as const;
  change(work, row, { errors: [...valueOf(work, row).errors, error] });
}

function shorten(work: SpanWork, row: Row): void {
  change(work, row, { errors: valueOf(work, row).errors.slice(0, -1) });
}

function SpanRow(props: {
  work: SpanWork;
  row: Row;
  index: number;
  onScore: (score: number) => void;
}) {
  const { work, row, index } = props;
  const { cursor } = work;
  const value = valueOf(work, row);
  const here = cursor.row === index;
  return (
    <RowFrame work={work} index={index} row={row}>
      <RowText work={work} row={row} here={here} marks={value.errors.filter(inOutput).map(shown)} />
      <ErrorList work={work} row={row} here={here} />
      <div class="controls">
        <Scale
          label="Score"
          value={value.score}
          max={100}
          step={1}
          here={here}
          onChange={props.onScore}
          onFocus={() => cursor.go({ row: index, field: 0 })}
        />
        {here && (
          <button type="button" class="plain" onClick={() => leftOut(work, row)}>
            Something was left out <kbd>V</kbd>
          </button>
        )}
      </div>
    </RowFrame>
  );
}

function shown(error: ErrorSpan): ShownMark {
  const proposed = error.prefilled === undefined ? "" : " proposed";
  return { start: error.start, end: error.end, look: `error ${error.severity}${proposed}` };
}

const inSource = (error: ErrorSpan) => error.side === "source";
const inOutput = (error: ErrorSpan) => !inSource(error);

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
          <select
            aria-label="Category"
            value={error.category ?? ""}
            onChange={(event) => replace(error, { category: event.currentTarget.value || null })}
          >
            <option value="">no category</option>
            {categoriesWith(work.task.categories, error.category).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
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

/** What a proposal calls its error is offered as well. */
function categoriesWith(offered: readonly string[], own: string | null): readonly string[] {
  return own === null || offered.includes(own) ? offered : [own, ...offered];
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
