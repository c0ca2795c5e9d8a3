// Answers on their way to the server: in order, as often as it takes, and never twice.
//
// Every answer has a key of its own, so that sending it again is harmless. An answer that was
// never sent may be replaced by the next one about the same item; one that was sent may have
// arrived, so the next one builds upon it and waits for its receipt.

import type { AnswerView, Receipt, Receipts, SentAnswer } from "../../generated/annotate";
import { Refusal } from "../api";
import type { Shelf, Waiting } from "./shelf";

export type Value = SentAnswer["value"];
export type Send = (answers: readonly SentAnswer[], leaving: boolean) => Promise<Receipts>;

/** An answer that is based on an old revision, and the one that stands. */
export interface Clash {
  readonly mine: Waiting;
  readonly theirs: AnswerView;
}

/** An answer that the server will never take. */
export interface Refused {
  readonly answer: Waiting;
  readonly reason: string;
}

/** `failing`: the server is there and cannot save; its disk may be full. */
export type Reach = "reached" | "unreachable" | "failing" | "signed out";

/** What became of an item: the answer that stands now. */
export type Settled = (task: string, item: string, answer: AnswerView) => void;

const AT_ONCE = 50;
const PAUSE = 500;
const LONGEST = 30_000;

export class Outbox {
  reach: Reach = "reached";
  /** Why the server cannot save. */
  reason = "";
  sending = false;
  /** False once the browser had no room for an answer. */
  kept = true;
  readonly clashes = new Map<string, Clash>();
  readonly refused: Refused[] = [];
  private queue: Waiting[] = [];
  private failures = 0;
  private atOnce = AT_ONCE;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly watchers = new Set<() => void>();
  private readonly settlers = new Set<Settled>();

  constructor(
    private readonly send: Send,
    private readonly shelf: Shelf,
    /** Asks whether the server is there, when there is nothing to send; `hearOf` gets the answer. */
    private readonly look: () => void = () => undefined,
  ) {}

  get waiting(): number {
    return this.queue.length - this.clashes.size;
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  onSettled(settled: Settled): () => void {
    this.settlers.add(settled);
    return () => this.settlers.delete(settled);
  }

  /** Takes over what earlier pages left behind for these tasks. */
  adopt(tasks: ReadonlySet<string>): void {
    const known = new Set(this.queue.map((entry) => entry.key));
    const found = this.shelf.all().filter((each) => tasks.has(each.task) && !known.has(each.key));
    this.queue = [...this.queue, ...found].sort((one, other) => one.order - other.order);
    if (found.length) this.schedule(0);
    this.changed();
  }

  /** The last answer about an item that has not arrived yet. */
  last(task: string, item: string): Waiting | undefined {
    return this.queue.findLast((entry) => entry.task === task && entry.item === item);
  }

  /** Puts an answer in; `standing` is the revision that the server is known to have. */
  add(task: string, item: string, standing: number, value: Value): void {
    const before = this.last(task, item);
    const clash = before && this.clashes.get(before.key);
    const follows = before?.tried && !clash;
    const revision = before ? before.revision + (follows ? 1 : 0) : standing;
    if (before && !follows) this.drop(before);
    const entry = this.enter({ task, item, revision, value });
    if (clash) {
      this.clashes.delete(clash.mine.key);
      this.clashes.set(entry.key, { ...clash, mine: entry });
    }
    this.schedule(PAUSE);
    this.changed();
  }

  /** Sends what waits, now. */
  async flush(leaving = false): Promise<void> {
    this.unschedule();
    if (this.sending && !leaving) return;
    const batch = this.nextBatch();
    if (batch.length === 0) return this.reach === "unreachable" ? this.look() : undefined;
    this.sending = true;
    this.changed();
    try {
      const { receipts } = await this.send(batch.map(wire), leaving);
      this.reach = "reached";
      this.failures = 0;
      receipts.forEach((receipt, i) => this.take(batch[i] as Waiting, receipt));
    } catch (error) {
      this.failed(error, batch);
    } finally {
      this.sending = false;
    }
    if (this.waiting > 0) this.schedule(0);
    else this.atOnce = AT_ONCE;
    this.changed();
  }

  /** The network is back, or somebody does not want to wait. */
  retry(): void {
    this.failures = 0;
    void this.flush();
  }

  /** Ends a clash in favour of one side. */
  settle(clash: Clash, winner: "mine" | "theirs"): void {
    const { mine, theirs } = clash;
    this.clashes.delete(mine.key);
    this.drop(mine);
    if (winner === "theirs") this.settled(mine, theirs);
    else this.enter({ ...mine, revision: theirs.revision });
    this.schedule(0);
    this.changed();
  }

  /** Another tab has saved something. */
  hear(task: string, item: string, answer: AnswerView): void {
    this.catchUp();
    for (const settled of this.settlers) settled(task, item, answer);
    this.changed();
  }

  /** Somebody else has asked the server for something: was it there? */
  hearOf(there: boolean): void {
    if (this.reach !== "reached" && this.reach !== "unreachable") return;
    this.reach = there ? "reached" : "unreachable";
    if (!there && !this.sending && this.timer === null) {
      this.failures++;
      this.schedule(0);
    }
    this.changed();
  }

  dismiss(refused: Refused): void {
    this.refused.splice(this.refused.indexOf(refused), 1);
    this.changed();
  }

  // --- the way of one answer ---------------------------------------------------------------------

  private enter(answer: Pick<SentAnswer, "task" | "item" | "revision" | "value">): Waiting {
    const { task, item, revision, value } = answer;
    const at = Date.now();
    const order = Math.max(at, (this.queue.at(-1)?.order ?? 0) + 1);
    const entry = { key: newKey(), task, item, revision, value, at, order, tried: false };
    this.queue.push(entry);
    if (!this.shelf.put(entry)) this.kept = false;
    return entry;
  }

  /** What another tab took off the shelf is no longer ours to send. */
  private catchUp(): void {
    for (const entry of this.queue.filter((each) => !this.shelf.has(each.key))) {
      this.clashes.delete(entry.key);
      this.queue = this.queue.filter((each) => each !== entry);
    }
  }

  private drop(entry: Waiting): void {
    this.queue = this.queue.filter((each) => each.key !== entry.key);
    this.shelf.remove(entry.key);
  }

  /** The first answer about each item; from now on each may have arrived. */
  private nextBatch(): Waiting[] {
    this.catchUp();
    const items = new Set<string>();
    const batch: Waiting[] = [];
    for (const entry of this.queue) {
      const place = `${entry.task} ${entry.item}`;
      if (!items.has(place) && !this.clashes.has(entry.key) && batch.length < this.atOnce) {
        batch.push({ ...entry, tried: true });
      }
      items.add(place);
    }
    const tried = new Map(batch.map((entry) => [entry.key, entry]));
    this.queue = this.queue.map((entry) => tried.get(entry.key) ?? entry);
    for (const entry of batch) this.shelf.put(entry);
    return batch;
  }

  private take(sent: Waiting, receipt: Receipt): void {
    if (receipt.conflict) {
      this.clash(sent, receipt.conflict);
      return;
    }
    this.drop(sent);
    if (receipt.revision !== null) {
      this.settled(sent, { revision: receipt.revision, value: sent.value, at: sent.at });
    } else {
      this.refuse(sent, receipt.refused ?? "the server did not say why");
    }
  }

  /** All that was said about the item since becomes one answer, which waits for a decision. */
  private clash(sent: Waiting, theirs: AnswerView): void {
    const later = this.queue.filter((each) => each.task === sent.task && each.item === sent.item);
    const mine = later.at(-1) ?? sent;
    for (const entry of later.slice(0, -1)) this.drop(entry);
    if (sameValue(mine.value, theirs.value)) {
      this.drop(mine);
      this.settled(mine, theirs);
    } else {
      this.clashes.set(mine.key, { mine, theirs });
    }
  }

  private refuse(answer: Waiting, reason: string): void {
    this.refused.push({ answer, reason });
  }

  private failed(error: unknown, batch: readonly Waiting[]): void {
    this.failures++;
    this.reach = "unreachable";
    if (!(error instanceof Refusal)) return;
    this.reach = error.status === 401 ? "signed out" : "failing";
    this.reason = error.message;
    const [only] = batch;
    if (error.status === 413) this.atOnce = Math.max(1, Math.floor(batch.length / 2));
    // A proxy that does not find the campaign knows nothing of answers: they wait.
    if (!error.ours || ![404, 413, 422].includes(error.status)) return;
    // It was understood and will never be taken; one at a time, so that only the wrong one falls.
    if (error.status !== 413) this.atOnce = 1;
    if (batch.length === 1 && only) {
      this.drop(only);
      this.refuse(only, error.message);
    }
  }

  // --- time ----------------------------------------------------------------------------------------

  private delay(): number {
    if (this.failures === 0) return 0;
    return Math.min(LONGEST, 1000 * 2 ** (this.failures - 1)) * (0.75 + Math.random() / 2);
  }

  private schedule(after: number): void {
    this.unschedule();
    this.timer = setTimeout(() => void this.flush(), Math.max(after, this.delay()));
  }

  private unschedule(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private settled(entry: Waiting, answer: AnswerView): void {
    for (const each of this.settlers) each(entry.task, entry.item, answer);
  }

  private changed(): void {
    for (const each of this.watchers) each();
  }
}

function wire(entry: Waiting): SentAnswer {
  const { key, task, item, revision, value, at } = entry;
  return { key, task, item, revision, value, at };
}

/** Works without a secure context, which `crypto.randomUUID` does not. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const at = (whole: object, name: string) => (whole as Record<string, unknown>)[name];
  return [...names].every((name) => sameValue(at(one, name), at(other, name)));
}
