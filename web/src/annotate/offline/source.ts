// Where work comes from: the server, or what was kept of it where nobody answers.

import type { AnswerView, Me, TaskView } from "../../generated/annotate";
import { Refusal } from "../api";
import type { Shelf } from "../saving/shelf";
import type { KeptWork } from "./kept";

export interface Server {
  getMe(): Promise<Me>;
  getTask(id: string): Promise<TaskView>;
}

const AHEAD = 10; // tasks that are fetched before somebody opens them
const AWAY = [502, 503, 504];
const SIGNED_OUT = 401;

export class WorkSource {
  /** Whether the server was there when it was last asked. */
  there = true;
  /** Told so each time. */
  onReach: (there: boolean) => void = () => undefined;
  private readonly fetched = new Set<string>();
  private fetching = false;

  constructor(
    private readonly server: Server,
    private readonly kept: KeptWork,
    private readonly shelf: Pick<Shelf, "all">,
  ) {}

  async getMe(): Promise<Me> {
    return this.found(
      () => this.server.getMe(),
      (me) => (me.role === "annotator" && !me.preview ? this.kept.keepMe(me) : this.kept.forget()),
      () => this.kept.me(this.shelf.all()),
    );
  }

  async getTask(id: string): Promise<TaskView> {
    this.fetched.add(id);
    return this.found(
      () => this.server.getTask(id),
      (task) => this.kept.keepTask(task),
      () => this.kept.task(id),
    );
  }

  /** Fetches what comes next, unless it is at hand as the server has it. */
  async lookAhead(me: Me): Promise<void> {
    if (this.fetching) return;
    this.fetching = true;
    const locked = new Set(
      me.tutorials.filter((each) => each.state !== "passed").map((each) => each.phase),
    );
    const open = me.tasks.filter((task) => task.done < task.total && !locked.has(task.kind));
    const next = open.slice(0, AHEAD);
    try {
      for (const { id, done } of next) {
        if (this.fetched.has(id) || (await this.kept.done(id)) === done) continue;
        this.fetched.add(id);
        await this.kept.keepTask(await this.server.getTask(id));
      }
    } catch {
      // Nobody waits for it; what is not at hand is asked for when it is opened.
    } finally {
      this.fetching = false;
    }
  }

  /** An answer has arrived. */
  note(task: string, item: string, answer: AnswerView): void {
    this.kept.note(task, item, answer).catch(() => undefined);
  }

  private heard(there: boolean): void {
    this.there = there;
    this.onReach(there);
  }

  private async found<T>(
    ask: () => Promise<T>,
    keep: (found: T) => Promise<void>,
    kept: () => Promise<T | null>,
  ): Promise<T> {
    try {
      const found = await ask();
      this.heard(true);
      await keep(found).catch(() => undefined); // the browser may have no room
      return found;
    } catch (error) {
      if (error instanceof Refusal && error.status === SIGNED_OUT) await this.kept.forget();
      if (!isAway(error)) throw error;
      this.heard(false);
      const before = await kept().catch(() => null);
      if (before === null) throw error;
      return before;
    }
  }
}

/** Whether nobody answered for the campaign, or only a proxy in front of it. */
function isAway(error: unknown): boolean {
  return !(error instanceof Refusal) || AWAY.includes(error.status);
}
