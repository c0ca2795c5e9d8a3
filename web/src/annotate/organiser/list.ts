// A document's candidates, and how changes to them are saved.

import { useState } from "preact/hooks";

import type { CandidateView, CuratedMarkable, CurationDocument } from "../../generated/annotate";
import { type Deciding, useDeciding } from "./deciding";
import { listed, merged, placesOf } from "./markables";

/** A document's candidates with what can be done to them. */
export interface List {
  readonly document: CurationDocument;
  readonly deciding: Deciding;
  readonly items: readonly string[];
  readonly chosen: CandidateView | null;
  readonly choose: (item: string) => void;
  readonly onChange: (candidates: readonly CandidateView[]) => void;
}

/** The order is that of the beginning: nothing jumps away while it is decided on. */
export function useList(document: CurationDocument, onChange: List["onChange"]): List {
  const [order] = useState(() => listed(document.candidates).map((each) => each.item));
  const added = document.candidates
    .map((each) => each.item)
    .filter((each) => !order.includes(each));
  const items = [...order, ...added];
  const [item, choose] = useState<string | null>(items[0] ?? null);
  const chosen = document.candidates.find((each) => each.item === item) ?? null;
  const deciding = useDeciding("/api/curation");
  return { document, deciding, items, chosen, choose, onChange };
}

/** A markable that nobody proposed, wherever its words are in the source. */
export async function create(list: List, head: string): Promise<void> {
  const { candidates, source } = list.document;
  const item = `candidate:${candidates.length}`;
  const occurrences = placesOf(head, source);
  const markable: CuratedMarkable = { head, occurrences, state: "accepted", origin: "organiser" };
  if (await save(list, [[{ item, revision: 0, markable }, markable]])) list.choose(item);
}

/** Saves markables as they should be; true where all of them stand. */
export async function save(
  list: List,
  changes: readonly (readonly [CandidateView, CuratedMarkable])[],
): Promise<boolean> {
  const { task } = list.document;
  const outcomes = await list.deciding.decide(
    changes.map(([{ item, revision }, value]) => ({ task, item, revision, value })),
  );
  const known = new Map(list.document.candidates.map((each) => [each.item, each]));
  for (const { item, stands } of outcomes) {
    const markable = stands.value as unknown as CuratedMarkable;
    known.set(item, { item, revision: stands.revision, markable });
  }
  list.onChange([...known.values()]);
  return outcomes.length === changes.length;
}

export function merge(list: List, gone: CandidateView, kept: CandidateView): void {
  const [rejected, grown] = merged(gone.markable, kept.markable);
  void save(list, [
    [gone, rejected],
    [kept, grown],
  ]).then(() => list.choose(kept.item));
}
