// The answers of one task as the page shows them, with what is still on its way; undo.

import type { AnswerView, TaskView } from "../../generated/annotate";
import { blank, sameKind, type Kind, type ValueOf } from "../task/values";
import { type Outbox, sameValue, type Value } from "./outbox";

interface Change {
  readonly item: string;
  readonly before: Value;
}

export class Answers<K extends Kind> {
  private readonly standing = new Map<string, AnswerView>();
  private readonly shown = new Map<string, Value>();
  private readonly past: (readonly Change[])[] = [];
  private readonly watchers = new Set<() => void>();
  private readonly unfollow: () => void;

  constructor(
    readonly task: TaskView & { readonly kind: K },
    private readonly outbox: Outbox,
  ) {
    for (const [item, answer] of Object.entries(task.answers)) this.standing.set(item, answer);
    for (const item of task.items) {
      const value = outbox.last(task.id, item)?.value ?? this.standing.get(item)?.value;
      if (value) this.shown.set(item, value);
    }
    this.unfollow = outbox.onSettled((id, item, answer) => this.settled(id, item, answer));
  }

  close(): void {
    this.unfollow();
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** The answer to an item; null where nobody has answered. */
  value(item: string): ValueOf<K> | null {
    return sameKind<K>(this.shown.get(item) ?? null);
  }

  /** Answers items, all as one step for undo. */
  set(changes: readonly (readonly [string, ValueOf<K>])[]): void {
    const real = changes.filter(([item, value]) => !sameValue(this.shown.get(item), value));
    if (real.length === 0) return;
    this.past.push(real.map(([item]) => ({ item, before: this.before(item) })));
    for (const [item, value] of real) this.put(item, value as unknown as Value);
    this.changed();
  }

  /** What undo brings back: the former answer, or one that says nothing. */
  private before(item: string): Value {
    return this.shown.get(item) ?? (this.blankOf(item) as unknown as Value);
  }

  /** How the answer to an item begins: with nothing, or with errors to correct. */
  blankOf(item: string): ValueOf<K> {
    const nothing = blank(this.task.kind);
    const errors = this.task.prefilled[item];
    return errors && "errors" in nothing ? ({ ...nothing, errors } as ValueOf<K>) : nothing;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  /** Takes the last step back, as new answers with the former values; says where it was. */
  undo(): string | null {
    const step = this.past.pop();
    if (!step) return null;
    for (const { item, before } of step) this.put(item, before);
    this.changed();
    return step[0]?.item ?? null;
  }

  protected put(item: string, value: Value): void {
    this.shown.set(item, value);
    this.outbox.add(this.task.id, item, this.standing.get(item)?.revision ?? 0, value);
  }

  /** An answer has arrived, from here or from another tab. */
  private settled(id: string, item: string, answer: AnswerView): void {
    if (id !== this.task.id) return;
    if ((this.standing.get(item)?.revision ?? 0) > answer.revision) return;
    this.standing.set(item, answer);
    if (!this.outbox.last(id, item)) this.shown.set(item, answer.value);
    this.changed();
  }

  private changed(): void {
    for (const each of this.watchers) each();
  }
}
