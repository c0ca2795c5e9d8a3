// Phase 1: every line of every translation is rated; words that look like markables are reported.

import { useState } from "preact/hooks";

import type { LineValue, Reported } from "../../generated/annotate";
import type { ShownMark } from "../../shared/marked_text";
import { Scale } from "../input/scale";
import { type SelectionAction, useSelecting } from "../input/selecting";
import { OUTPUT, type Selected, SOURCE } from "../input/selection";
import { useShortcuts } from "../input/shortcuts";
import { TextField } from "../input/text_field";
import { RowFrame, RowText } from "../task/row";
import { asks, type Row } from "../task/screens";
import { change, valueOf, type Work } from "../task/work";
import { Workbench } from "../task/workbench";

type LineWork = Work<"phase1">;

const FIELDS = ["adequacy", "fluency"] as const;
const LABELS = { adequacy: "Adequacy", fluency: "Fluency" } as const;
const MEANING = {
  adequacy: [
    { at: 0, words: "nothing" },
    { at: 0.5, words: "half" },
    { at: 1, words: "all" },
  ],
  fluency: [
    { at: 0, words: "not at all" },
    { at: 1, words: "like a native" },
  ],
} as const;
const DIGITS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "x"];
const LONGEST = 2000;

export function Lines(props: { work: LineWork }) {
  const { work } = props;
  const { cursor, task } = work;
  const { currentRow } = cursor;
  const [noting, setNoting] = useState<string | null>(null);
  const selecting = useSelecting([reportAction(work)]);
  const rate = (key: string) => {
    if (!asks(currentRow)) return;
    const field = FIELDS[cursor.field] as (typeof FIELDS)[number];
    change(work, currentRow, { [field]: DIGITS.indexOf(key) / 10 });
    cursor.advance();
  };
  const conflict = () =>
    change(work, currentRow, { conflicting: !valueOf(work, currentRow).conflicting });
  useShortcuts({
    title: "Rating a line",
    shortcuts: [
      { keys: DIGITS, label: "Rate 0, 0.1 … 0.9, 1 (X) and go on", run: rate },
      { keys: ["ArrowLeft", "ArrowRight"], label: "Rate in steps of 0.1", run: () => undefined },
      { keys: ["c"], label: "Conflicting markable", run: conflict },
      {
        keys: ["s"],
        label: "Choose words of the source",
        run: () => selecting.picking.begin(SOURCE(cursor.current.segment)),
      },
      {
        keys: ["o"],
        label: "Choose words of the translation",
        run: () => selecting.picking.begin(OUTPUT(currentRow.slot ?? "")),
      },
      { keys: ["m"], label: "Report selected words as a markable", run: () => undefined },
      { keys: ["n"], label: "Write a note", run: () => setNoting(currentRow.item) },
    ],
  });
  return (
    <Workbench
      work={work}
      title={task.document}
      unit="Line"
      selecting={selecting}
      marks={(segment) =>
        segment === cursor.current.segment ? reportedMarks(valueOf(work, currentRow), "source") : []
      }
    >
      {cursor.current.rows.map((row, index) => (
        <LineRow
          key={row.item}
          work={work}
          row={row}
          index={index}
          noting={noting === row.item}
          beginNote={() => setNoting(row.item)}
          endNote={() => setNoting(null)}
        />
      ))}
    </Workbench>
  );
}

/** Words of the source belong to the present translation, words of a translation to that one. */
function reportAction(work: LineWork): SelectionAction {
  const { current, currentRow } = work.cursor;
  const target = (selected: Selected): Row | undefined =>
    selected.place === SOURCE(current.segment)
      ? currentRow
      : current.rows.find((row) => selected.place === OUTPUT(row.slot ?? ""));
  return {
    keys: ["m", "Enter"],
    label: "Report as a markable",
    applies: (selected) => target(selected) !== undefined && selected.text.length <= LONGEST,
    run: (selected) => {
      const row = target(selected) as Row;
      const { start, end, text } = selected;
      const side = selected.place.startsWith("source") ? "source" : "output";
      const { reported } = valueOf(work, row);
      const known = reported.some((r) => r.side === side && r.start === start && r.end === end);
      if (!known) change(work, row, { reported: [...reported, { side, start, end, text }] });
    },
  };
}

function reportedMarks(value: LineValue, side: Reported["side"]): ShownMark[] {
  return value.reported
    .filter((each) => each.side === side)
    .map(({ start, end }) => ({ start, end, look: "reported" }));
}

function LineRow(props: {
  work: LineWork;
  row: Row;
  index: number;
  noting: boolean;
  beginNote: () => void;
  endNote: () => void;
}) {
  const { work, row, index } = props;
  const here = work.cursor.row === index;
  const value = valueOf(work, row);
  return (
    <RowFrame work={work} index={index} row={row}>
      <RowText work={work} row={row} here={here} marks={reportedMarks(value, "output")} />
      <div class="controls">
        {FIELDS.map((field, number) => (
          <Scale
            key={field}
            label={LABELS[field]}
            value={value[field]}
            max={1}
            step={0.1}
            here={here && work.cursor.field === number}
            meaning={here ? MEANING[field] : []}
            onChange={(next) => change(work, row, { [field]: next })}
            onFocus={() => work.cursor.go({ row: index, field: number })}
          />
        ))}
        <label class="check">
          <input
            type="checkbox"
            checked={value.conflicting}
            onChange={() => change(work, row, { conflicting: !value.conflicting })}
          />
          Conflicting markable
        </label>
        {here && asks(row) && !props.noting && !value.note && (
          <button type="button" class="plain" onClick={props.beginNote}>
            Note <kbd>N</kbd>
          </button>
        )}
      </div>
      {here && !everReported(work) && (
        <p class="how soft">
          Select words on which much depends and that went wrong, to report them.
        </p>
      )}
      <ReportedWords work={work} row={row} />
      {(props.noting || value.note) && (
        <label class="note">
          Note
          <TextField
            value={value.note}
            maxLength={10_000}
            open={props.noting}
            onDone={(note) => {
              if (note !== value.note) change(work, row, { note });
              props.endNote();
            }}
          />
        </label>
      )}
    </RowFrame>
  );
}

/** Whoever has reported something in this task knows how. */
function everReported(work: LineWork): boolean {
  return work.task.items.some((item) => (work.answers.value(item)?.reported.length ?? 0) > 0);
}

function ReportedWords(props: { work: LineWork; row: Row }) {
  const { reported } = valueOf(props.work, props.row);
  if (reported.length === 0) return null;
  const remove = (gone: Reported) =>
    change(props.work, props.row, { reported: reported.filter((each) => each !== gone) });
  return (
    <ul class="chips" aria-label="Reported markables">
      {reported.map((each) => (
        <li key={`${each.side} ${each.start} ${each.end}`}>
          <bdi>{each.text}</bdi>
          {each.side === "source" && <span class="soft"> source</span>}
          <button type="button" aria-label={`Remove ${each.text}`} onClick={() => remove(each)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
