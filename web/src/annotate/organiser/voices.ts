// What annotators marked at a place, whatever kind of work it was.

import type { LineValue, OccurrenceValue, Opinion, SpansValue } from "../../generated/annotate";
import type { MarkedError, Voice } from "../../shared/overlaid";
import type { Kind } from "../task/values";

/** Everybody's marks; a place may have none at all. */
export function voicesOf(kind: Kind, opinions: readonly Opinion[]): Voice[] {
  return opinions.map(({ annotator, answer }) => ({
    name: annotator,
    errors: marksOf(kind, answer.value),
  }));
}

function marksOf(kind: Kind, value: object): readonly MarkedError[] {
  if (kind === "spans" || kind === "contrastive") return (value as SpansValue).errors ?? [];
  if (kind === "phase1") {
    return ((value as LineValue).reported ?? []).map(({ start, end, side }) => ({
      ...{ start, end, severity: "reported", missing: false },
      side: side === "source" ? side : null,
    }));
  }
  if (kind === "phase2") {
    const { target, phenomena } = value as OccurrenceValue;
    const severity = Object.keys(phenomena ?? {}).join(", ") || "no error";
    return (target ?? []).map(({ start, end }) => ({ start, end, severity, missing: false }));
  }
  return [];
}
