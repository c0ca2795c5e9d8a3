// All translations of a screen on one scale, so that scores are seen against each other.

import { useRef } from "preact/hooks";

import { shareAt } from "../input/scale";
import { asks, lettersOf, type Row } from "../task/screens";
import { change, valueOf, type Work } from "../task/work";
import type { Comparing } from "./contrastive";

type ContrastiveWork = Work<"contrastive">;

export function SharedScale(props: { work: ContrastiveWork; comparing: Comparing }) {
  const { work, comparing } = props;
  const { rows, whole } = work.cursor.current;
  const track = useRef<HTMLDivElement>(null);
  const asked = rows.filter(asks);
  const open = asked.filter((row) => valueOf(work, row).score === null);
  const pins = lanesOf(
    asked.flatMap((row) => {
      const { score } = valueOf(work, row);
      return score === null ? [] : [{ row, score, width: WIDTH * (1 + row.also.length) }];
    }),
  );
  const lanes = Math.max(1, ...pins.map((pin) => pin.lane + 1));
  return (
    <section class="below shared-scale" aria-label="All on one scale">
      <span class="open soft">
        {open.length > 0 && (
          <>
            not scored: <strong>{open.map(lettersOf).join(", ")}</strong>
          </>
        )}
      </span>
      <span class="soft" aria-hidden="true">
        0
      </span>
      <div class="pins" ref={track} style={{ blockSize: `${lanes * 1.75}rem` }}>
        {pins.map(({ row, score, lane }) => (
          <Pin key={row.item} work={work} row={row} score={score} lane={lane} track={track} />
        ))}
      </div>
      <span class="soft" aria-hidden="true">
        100
      </span>
      {!whole && rows.length > 1 && (
        <button type="button" class="plain" aria-pressed={comparing.on} onClick={comparing.toggle}>
          Compare <kbd>C</kbd>
        </button>
      )}
    </section>
  );
}

/** A letter at its score; it can be taken and moved. */
function Pin(props: {
  work: ContrastiveWork;
  row: Row;
  score: number;
  lane: number;
  track: { readonly current: HTMLElement | null };
}) {
  const { work, row, score } = props;
  const index = work.cursor.current.rows.findIndex((each) => each.item === row.item);
  const here = work.cursor.row === index;
  const move = (event: PointerEvent) => {
    const track = props.track.current;
    if (!track || event.buttons !== 1) return;
    change(work, row, { score: Math.round(100 * shareAt(track, event.clientX)) });
  };
  return (
    <button
      type="button"
      class={here ? "pin here" : "pin"}
      aria-label={`Translation ${lettersOf(row)}: ${score}`}
      style={{ insetInlineStart: `${score}%`, insetBlockEnd: `${props.lane * 1.75}rem` }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      onClick={() => work.cursor.go({ row: index, field: 0 })}
    >
      {lettersOf(row)}
    </button>
  );
}

interface Scored {
  readonly score: number;
  /** How much of the scale its letters take. */
  readonly width: number;
}

const WIDTH = 7;

/** Letters that would hide each other lie one above the other. */
export function lanesOf<P extends Scored>(pins: readonly P[]): (P & { readonly lane: number })[] {
  const ends: number[] = [];
  return [...pins]
    .sort((one, other) => one.score - other.score)
    .map((pin) => {
      const begin = pin.score - pin.width / 2;
      const free = ends.findIndex((end) => end <= begin);
      const lane = free < 0 ? ends.length : free;
      ends[lane] = pin.score + pin.width / 2;
      return { ...pin, lane };
    });
}
