// Phase 2 by keys: phenomena, their severities, "no error" and "same as".

import { useState } from "preact/hooks";

import { PHENOMENA, type Phenomenon } from "../../generated/annotate";
import type { Selecting } from "../input/selecting";
import { OUTPUT } from "../input/selection";
import { useShortcuts } from "../input/shortcuts";
import { valueOf } from "../task/work";
import { noError, type OccurrenceWork, rate, sameAs, tick } from "./marks";

export const PHENOMENON_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "-"];
export const SEVERITIES = [
  [0, "0"],
  [0.25, "¼"],
  [0.5, "½"],
  [0.75, "¾"],
  [1, "1"],
] as const;
export const SEVERITY_KEYS = ["q", "w", "e", "r", "t"];

export interface Judging {
  /** The phenomenon that was ticked last: the keys of severity are about it. */
  readonly latest: Phenomenon | null;
  readonly setLatest: (name: Phenomenon | null) => void;
  /** The next letter names the translation that is the same. */
  readonly choosing: boolean;
}

export function useJudging(work: OccurrenceWork, selecting: Selecting): Judging {
  const { cursor } = work;
  const row = cursor.currentRow;
  const [touched, setTouched] = useState<{ item: string; name: Phenomenon } | null>(null);
  const latest = touched?.item === row.item ? touched.name : null;
  const setLatest = (name: Phenomenon | null) => setTouched(name && { item: row.item, name });
  const [choosing, setChoosing] = useState(false);
  const touch = (key: string) => {
    const [name] = PHENOMENA[PHENOMENON_KEYS.indexOf(key)] as [Phenomenon, string];
    const ticked = valueOf(work, row).phenomena[name] !== undefined;
    // The first press of a key turns to a phenomenon, the second takes it away.
    if (!ticked || latest === name) tick(work, row, name);
    setLatest(ticked && latest === name ? null : name);
  };
  const grade = (key: string) => {
    const severity = SEVERITIES[SEVERITY_KEYS.indexOf(key)]?.[0];
    if (latest && severity !== undefined) rate(work, row, latest, severity);
  };
  const fine = () => {
    if (!valueOf(work, row).no_error) noError(work, row);
    cursor.advance();
  };
  const pick = () => selecting.picking.begin(OUTPUT(row.slot ?? ""));
  useShortcuts({
    title: "Judging an occurrence",
    shortcuts: [
      { keys: ["n"], label: "No error, and go on", run: fine },
      { keys: PHENOMENON_KEYS, label: "The phenomena, in their order", run: touch },
      { keys: SEVERITY_KEYS, label: "Severity 0, ¼, ½, ¾, 1 of the last one", run: grade },
      { keys: ["="], label: "Same as …, then its letter", run: () => setChoosing(true) },
      { keys: ["o"], label: "Choose the words that stand for it", run: pick },
    ],
  });
  useSameAs(work, choosing, () => setChoosing(false));
  return { latest, setLatest, choosing };
}

/** While a letter is waited for, nothing else is heard. */
function useSameAs(work: OccurrenceWork, on: boolean, end: () => void): void {
  const choose = (key: string) => {
    end();
    sameAs(work, work.cursor.currentRow, key.toUpperCase());
    work.cursor.advance();
  };
  useShortcuts(
    {
      title: "Same as",
      alone: true,
      shortcuts: [
        {
          keys: work.task.slots.map((slot) => slot.toLowerCase()),
          label: "That translation",
          run: choose,
        },
        { keys: ["Escape"], label: "None", run: end },
      ],
    },
    on,
  );
}
