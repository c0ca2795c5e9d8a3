// Contrastive error spans: all translations of a segment are marked and scored against each other.

import { useMemo, useState } from "preact/hooks";

import type { ShownMark } from "../../shared/marked_text";
import { common } from "../../shared/words";
import type { Shortcut } from "../input/shortcuts";
import { stored } from "../saving/shelf";
import type { Row } from "../task/screens";
import type { Work } from "../task/work";
import { SharedScale } from "./shared_scale";
import { SpanBench } from "./spans";

type ContrastiveWork = Work<"contrastive">;

export function Contrastive(props: { work: ContrastiveWork }) {
  const { work } = props;
  const { current, currentRow } = work.cursor;
  const comparing = useComparing();
  const compared = useCompared(work, comparing.on);
  const toggle = (row: Row) => work.joined.toggle(current, row);
  const shortcuts: Shortcut[] = [
    {
      keys: ["c"],
      label: "Compare: what all translations share steps back",
      run: comparing.toggle,
    },
    {
      keys: ["p"],
      label: "Judge translations with the same words apart, or together",
      run: () => {
        if (work.joined.hasTwins(current, currentRow)) toggle(currentRow);
      },
    },
  ];
  return (
    <SpanBench
      work={work}
      title="Comparing translations"
      shortcuts={shortcuts}
      compared={(row) => compared.get(row.item) ?? []}
      beside={(row) =>
        row === currentRow &&
        work.joined.hasTwins(current, row) && (
          <button type="button" class="plain" onClick={() => toggle(row)}>
            {row.also.length ? "Same words: judge apart" : "Same words: judge together"}{" "}
            <kbd>P</kbd>
          </button>
        )
      }
      below={<SharedScale work={work} comparing={comparing} />}
    />
  );
}

export interface Comparing {
  readonly on: boolean;
  toggle(): void;
}

const KEPT = "isogloss.comparing";

/** Asked for once, it stays from task to task. */
function useComparing(): Comparing {
  const [on, setOn] = useState(() => stored(() => localStorage.getItem(KEPT)) === "yes");
  const toggle = () => {
    stored(() => localStorage.setItem(KEPT, on ? "no" : "yes"));
    setOn(!on);
  };
  return { on, toggle };
}

/** By item, the words that all translations on the screen have. */
function useCompared(work: ContrastiveWork, on: boolean): ReadonlyMap<string, ShownMark[]> {
  const { current } = work.cursor;
  const rows = current.rows.filter((row) => row.text !== null);
  return useMemo(() => {
    if (!on || current.whole || rows.length < 2) return new Map<string, ShownMark[]>();
    const shared = common(rows.map((row) => row.text ?? ""));
    return new Map(
      rows.map((row, i) => [
        row.item,
        (shared[i] ?? []).map(({ start, end }) => ({ start, end, look: "common" })),
      ]),
    );
  }, [on, work.cursor.screen, rows.length]);
}
