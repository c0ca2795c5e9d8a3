// The eleven phenomena with their severities; "no error" and "same as" say so openly.

import { PHENOMENA, type Phenomenon } from "../../generated/annotate";
import { keyName } from "../input/shortcuts";
import type { Row } from "../task/screens";
import { change, valueOf } from "../task/work";
import { type Judging, PHENOMENON_KEYS, SEVERITIES, SEVERITY_KEYS } from "./judging";
import { noError, type OccurrenceWork, rate, sameAs, tick } from "./marks";

export function MarksForm(props: { work: OccurrenceWork; row: Row; judging: Judging }) {
  const { work, row, judging } = props;
  const value = valueOf(work, row);
  return (
    <div class="marks-form">
      <div class="verdicts">
        <button
          type="button"
          class="verdict"
          aria-pressed={value.no_error && !value.same_as}
          onClick={() => noError(work, row)}
        >
          No error <kbd>N</kbd>
        </button>
        <SameAs work={work} row={row} choosing={judging.choosing} />
        <Words work={work} row={row} />
      </div>
      <div class="phenomena" role="group" aria-label="Phenomena">
        {PHENOMENA.map(([name, title], i) => (
          <PhenomenonLine
            key={name}
            title={title}
            hint={PHENOMENON_KEYS[i] as string}
            severity={value.phenomena[name]}
            latest={judging.latest === name}
            onTick={() => {
              tick(work, row, name);
              judging.setLatest(value.phenomena[name] === undefined ? name : null);
            }}
            onRate={(severity) => {
              rate(work, row, name, severity);
              judging.setLatest(name);
            }}
          />
        ))}
      </div>
    </div>
  );
}

function SameAs(props: { work: OccurrenceWork; row: Row; choosing: boolean }) {
  const { work, row } = props;
  const others = work.cursor.current.rows.filter((each) => each.item !== row.item && each.text);
  if (others.length === 0) return null;
  const chosen = valueOf(work, row).same_as;
  return (
    <div class={props.choosing ? "same-as choosing" : "same-as"} role="group" aria-label="Same as">
      <span>
        Same as <kbd>=</kbd>
      </span>
      {others.map(({ slot }) => (
        <button
          key={slot}
          type="button"
          aria-pressed={slot === chosen}
          onClick={() => sameAs(work, row, slot as string)}
        >
          {slot}
        </button>
      ))}
    </div>
  );
}

/** The words that stand for the markable, where somebody wants to set them right. */
function Words(props: { work: OccurrenceWork; row: Row }) {
  const { work, row } = props;
  const { target } = valueOf(work, row);
  return (
    <div class="words">
      <span class="soft">
        {target === null ? "Words: as found" : target.length ? "Words: set by you" : "No words"}{" "}
        <kbd>O</kbd>
      </span>
      <button type="button" class="plain" onClick={() => change(work, row, { target: [] })}>
        None
      </button>
      {target !== null && (
        <button type="button" class="plain" onClick={() => change(work, row, { target: null })}>
          Reset
        </button>
      )}
    </div>
  );
}

export function PhenomenonLine(props: {
  title: string;
  /** The key that ticks it, where there is one. */
  hint: string | null;
  severity: number | null | undefined;
  latest: boolean;
  onTick: () => void;
  onRate: (severity: number) => void;
}) {
  const { severity } = props;
  const ticked = severity !== undefined;
  const look = `phenomenon${ticked ? " ticked" : ""}${props.latest ? " latest" : ""}`;
  return (
    <div class={look}>
      <label>
        <input type="checkbox" checked={ticked} onChange={props.onTick} />
        {props.hint && <kbd>{props.hint}</kbd>} {props.title}
      </label>
      <span class="severities" role="group" aria-label={`Severity of ${props.title}`}>
        {severity === null && <span class="asked">?</span>}
        {SEVERITIES.map(([number, name], i) => (
          <button
            key={number}
            type="button"
            aria-label={`${props.title}: severity ${number}`}
            aria-pressed={severity === number}
            {...(props.hint ? { title: keyName(SEVERITY_KEYS[i] as string) } : {})}
            onClick={() => props.onRate(number)}
          >
            {name}
          </button>
        ))}
      </span>
    </div>
  );
}

const TITLES = new Map(PHENOMENA);

/** What was said, in a line. */
export function MarksSummary(props: { work: OccurrenceWork; row: Row }) {
  const value = valueOf(props.work, props.row);
  const marks = Object.entries(value.phenomena) as [Phenomenon, number | null][];
  if (!value.no_error && marks.length === 0 && !value.same_as) {
    return <p class="summary open">not judged</p>;
  }
  return (
    <p class="summary">
      {value.same_as && <span class="like">same as {value.same_as}</span>}
      {value.no_error && <span class="fine">no error</span>}
      {marks.map(([name, severity]) => (
        <span key={name} class={severity === null ? "wrong unrated" : "wrong"}>
          {TITLES.get(name)} {severity ?? "?"}
        </span>
      ))}
    </p>
  );
}
