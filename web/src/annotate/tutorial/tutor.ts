// A tutorial at work: what was said is checked screen by screen, and then stays as it is.

import type { Lesson, TutorialStanding, TutorialView } from "../../generated/annotate";
import { learn, Unreachable } from "../api";
import { Answers } from "../saving/answers";
import { Outbox, type Value } from "../saving/outbox";
import type { Shelf, Waiting } from "../saving/shelf";
import { asks, type Screen, together } from "../task/screens";
import { firstGap, type Kind } from "../task/values";

export class Tutor {
  /** Why nothing could be checked. */
  trouble = "";
  private busy = false;
  private readonly watchers = new Set<() => void>();

  constructor(
    private view: TutorialView | null,
    readonly again: () => void = () => undefined,
  ) {}

  get standing(): TutorialStanding | null {
    return this.view?.standing ?? null;
  }

  /** Every item has its lesson. */
  get ended(): boolean {
    return this.view !== null && this.view.task.items.every((item) => this.lesson(item));
  }

  get right(): number {
    const lessons = Object.values(this.view?.lessons ?? {});
    return lessons.filter((each) => each.lacking.length === 0).length;
  }

  lesson(item: string): Lesson | null {
    return this.view?.lessons[item] ?? null;
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** All of a screen is answered, and something has not been checked. */
  wants<K extends Kind>(screen: Screen, answers: Answers<K>): boolean {
    return this.view !== null && this.unchecked(screen, answers).length > 0;
  }

  /** Checks a screen that is answered; false where there is nothing to check. */
  check<K extends Kind>(screen: Screen, answers: Answers<K>): boolean {
    const { view } = this;
    const items = view ? this.unchecked(screen, answers) : [];
    if (!view || items.length === 0) return false;
    if (this.busy) return true;
    this.busy = true;
    const at = Date.now();
    const said = items.map((item) => ({
      item,
      at,
      value: answers.value(item) as unknown as Value,
    }));
    learn(view.task.kind, { attempt: view.attempt, answers: said })
      .then(
        (found) => {
          this.view = found;
          this.trouble = "";
        },
        (error: Error) => {
          const why = error instanceof Unreachable ? "the campaign is out of reach" : error.message;
          this.trouble = `This could not be checked: ${why}. Try again.`;
        },
      )
      .finally(() => {
        this.busy = false;
        for (const each of this.watchers) each();
      });
    return true;
  }

  private unchecked<K extends Kind>(screen: Screen, answers: Answers<K>): string[] {
    const items = screen.rows.filter(asks).flatMap((row) => together(row).map(({ item }) => item));
    const kind = answers.task.kind;
    const whole = items.every((item) => firstGap(kind, answers.value(item)) === null);
    return whole ? items.filter((item) => !this.lesson(item)) : [];
  }
}

/** Beside real work nobody teaches. */
export const NO_TUTOR = new Tutor(null);

/** Answers that nobody saves; those that were checked do not change. */
export class TriedAnswers extends Answers<Kind> {
  constructor(
    task: TutorialView["task"],
    private readonly tutor: Tutor,
    outbox: Outbox,
  ) {
    super(task, outbox);
  }

  protected override put(item: string, value: Value): void {
    if (!this.tutor.lesson(item)) super.put(item, value);
  }
}

/** An outbox from which nothing leaves. */
export function paperBasket(): Outbox {
  return new Outbox(
    async (answers) => ({
      receipts: answers.map(({ key, revision }) => ({
        key,
        revision: revision + 1,
        conflict: null,
        refused: null,
      })),
    }),
    new PaperShelf(),
  );
}

class PaperShelf implements Shelf {
  private readonly kept = new Map<string, Waiting>();
  all = () => [...this.kept.values()];
  has = (key: string) => this.kept.has(key);
  put = (entry: Waiting) => Boolean(this.kept.set(entry.key, entry));
  remove = (key: string) => void this.kept.delete(key);
}
