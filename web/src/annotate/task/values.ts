// What answers say: how they begin, when they are whole, and how they read to people.

import {
  type ConsistencyValue,
  type DirectValue,
  type LineValue,
  type OccurrenceValue,
  PHENOMENA,
  type PreferenceValue,
  type SpansValue,
  type TaskView,
} from "../../generated/annotate";
import type { Value } from "../saving/outbox";

export type Kind = TaskView["kind"];

interface Values {
  phase1: LineValue;
  phase2: OccurrenceValue;
  da: DirectValue;
  spans: SpansValue;
  contrastive: SpansValue;
  consistency: ConsistencyValue;
  document: DirectValue;
  preference: PreferenceValue;
}

/** Kinds in which errors are marked on the words. */
export type MarkedKind = "spans" | "contrastive";

export type ValueOf<K extends Kind> = Values[K];

/** The server checks every answer against the kind of its task, so they are of that kind here. */
export function sameKind<K extends Kind>(value: Value | null): ValueOf<K> | null {
  return value as unknown as ValueOf<K> | null;
}

const BLANK: Values = {
  phase1: { adequacy: null, fluency: null, conflicting: false, reported: [], note: "" },
  phase2: { no_error: false, phenomena: {}, target: null, same_as: null },
  da: { score: null },
  spans: { errors: [], score: null },
  contrastive: { errors: [], score: null },
  consistency: { same: null, unsure: false, flexible: [] },
  document: { score: null },
  preference: { better: null, reasons: [], note: "" },
};

/** An answer that says nothing: what is there before one answers, and after undo. */
export function blank<K extends Kind>(kind: K): ValueOf<K> {
  return BLANK[kind];
}

const GAPS: { readonly [K in Kind]: (value: Values[K]) => number } = {
  phase1: (value) => [value.adequacy, value.fluency].indexOf(null),
  phase2: (value) => {
    const severities = Object.values(value.phenomena);
    return value.no_error || (severities.length > 0 && !severities.includes(null)) ? -1 : 0;
  },
  da: (value) => (value.score === null ? 0 : -1),
  spans: (value) => (value.score === null ? 0 : -1),
  contrastive: (value) => (value.score === null ? 0 : -1),
  consistency: (value) => (value.same === null && !value.unsure ? 0 : -1),
  document: (value) => (value.score === null ? 0 : -1),
  preference: (value) => {
    const why = value.reasons.length > 0 || value.note.trim() !== "";
    return value.better === SAME || (value.better !== null && why) ? -1 : 0;
  },
};

/** The first question that is not answered; null where nothing is left to say. */
export function firstGap<K extends Kind>(kind: K, value: ValueOf<K> | null): number | null {
  const gap = value === null ? 0 : GAPS[kind](value);
  return gap < 0 ? null : gap;
}

/** Whether something is answered and something is not. */
export function halfDone<K extends Kind>(kind: K, value: ValueOf<K> | null): boolean {
  return value !== null && firstGap(kind, value) !== null && BEGUN[kind](value);
}

const BEGUN: { readonly [K in Kind]: (value: Values[K]) => boolean } = {
  phase1: (value) => value.adequacy !== null || value.fluency !== null,
  phase2: (value) => Object.keys(value.phenomena).length > 0,
  da: () => false,
  spans: (value) => value.errors.length > 0,
  contrastive: (value) => value.errors.length > 0,
  consistency: () => false,
  document: () => false,
  preference: (value) => value.better !== null || value.reasons.length > 0,
};

/** How many questions an item asks one after the other. */
export function questions(kind: Kind): number {
  return kind === "phase1" ? 2 : 1;
}

const TITLES = new Map(PHENOMENA);

/** The words at a place of a text, which is not at hand everywhere. */
export type Quote = (error: SpansValue["errors"][number]) => string;

const placed: Quote = (error) => `${error.start}–${error.end}`;

const marked = (value: SpansValue, quote: Quote): string[] => [
  `score ${rated(value.score)}`,
  ...value.errors.map((error) => `${place(error, quote)}: ${kindOf(error)}`),
];

function place(error: SpansValue["errors"][number], quote: Quote): string {
  if (!error.missing) return quote(error);
  return error.side === "source" ? `left out ${quote(error)}` : "something left out";
}

function kindOf({ severity, category }: SpansValue["errors"][number]): string {
  return category ? `${severity}, ${category}` : severity;
}

const SAID: { readonly [K in Kind]: (value: Values[K], quote: Quote) => string[] } = {
  phase1: (value) => [
    `adequacy ${rated(value.adequacy)}`,
    `fluency ${rated(value.fluency)}`,
    ...(value.conflicting ? ["conflicting markable"] : []),
    ...value.reported.map((each) => `markable “${each.text}”`),
    ...(value.note ? [`note: ${value.note}`] : []),
  ],
  phase2: (value) => [
    ...(value.no_error ? ["no error"] : []),
    ...Object.entries(value.phenomena).map(
      ([name, severity]) => `${TITLES.get(name as never) ?? name} ${rated(severity ?? null)}`,
    ),
    ...(value.same_as ? [`same as ${value.same_as}`] : []),
    ...(value.target ? ["words set by hand"] : []),
  ],
  da: (value) => [`score ${rated(value.score)}`],
  spans: marked,
  contrastive: marked,
  consistency: (value) => [verdict(value)],
  document: (value) => [`score ${rated(value.score)}`],
  preference: (value) => [
    value.better === SAME ? "equally good" : value.better ? `${value.better} is better` : "",
    ...value.reasons.map((each) => REASONS.find(([name]) => name === each)?.[1] ?? each),
    ...(value.note ? [`“${value.note}”`] : []),
  ],
};

/** Neither of two translations is better. */
export const SAME = "same";

export const REASONS: readonly (readonly [PreferenceValue["reasons"][number], string])[] = [
  ["meaning", "Says what the source says"],
  ["completeness", "Leaves nothing out, adds nothing"],
  ["fluency", "Reads better"],
  ["terms", "Better words and names"],
  ["coherence", "Hangs together better"],
  ["style", "Better tone for its readers"],
];

function verdict({ same, unsure, flexible }: ConsistencyValue): string {
  if (unsure) return "unsure";
  if (same === null) return "nothing yet";
  if (same) return "must be the same";
  if (flexible.length === 0) return "may differ";
  return `may differ at place ${flexible.map((place) => place + 1).join(", ")}`;
}

/** An answer in words. */
export function said(kind: Kind, value: Value, quote = placed): string {
  const words = (SAID[kind] as (value: unknown, quote: Quote) => string[])(value, quote);
  return words.filter(Boolean).join(" · ") || "nothing yet";
}

export function rated(value: number | null): string {
  return value === null ? "—" : String(value);
}
