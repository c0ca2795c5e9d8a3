// An annotator's work as it was last seen, for a page that is opened without a network.
//
// The list of tasks and the next of them lie in a drawer of the browser. Answers that have arrived
// are noted there, too; those that have not wait elsewhere (see saving/shelf.ts) and are counted.

import type { AnswerView, Me, TaskView } from "../../generated/annotate";
import type { Waiting } from "../saving/shelf";
import { firstGap, sameKind } from "../task/values";
import type { Drawer } from "./drawer";

const ME = "me";
const TASK = "task/";

export class KeptWork {
  constructor(private readonly drawer: Drawer) {}

  async keepMe(me: Me): Promise<void> {
    await this.drawer.put(ME, me);
    const wanted = new Set(me.tasks.map((task) => TASK + task.id));
    for (const name of await this.drawer.names()) {
      if (name !== ME && !wanted.has(name)) await this.drawer.remove(name);
    }
  }

  /** Who was here last and what they have to do, with all that they said counted. */
  async me(waiting: readonly Waiting[]): Promise<Me | null> {
    const me = (await this.drawer.get(ME)) as Me | null;
    if (!me) return null;
    const tasks = me.tasks.map(async (summary) => {
      const done = await this.done(summary.id, waiting);
      return done === null ? summary : { ...summary, done };
    });
    return { ...me, tasks: await Promise.all(tasks) };
  }

  async task(id: string): Promise<TaskView | null> {
    return (await this.drawer.get(TASK + id)) as TaskView | null;
  }

  /** Keeps a task as the server told it; an answer that arrived in the meantime is newer. */
  async keepTask(task: TaskView): Promise<void> {
    await this.drawer.alone(async () => {
      const before = (await this.task(task.id))?.answers ?? {};
      const newer = Object.entries(before).filter(
        ([item, answer]) => answer.revision > (task.answers[item]?.revision ?? 0),
      );
      const answers = { ...task.answers, ...Object.fromEntries(newer) };
      await this.drawer.put(TASK + task.id, { ...task, answers });
    });
  }

  /** Notes an answer that has arrived. */
  async note(id: string, item: string, answer: AnswerView): Promise<void> {
    await this.drawer.alone(async () => {
      const task = await this.task(id);
      if (!task || (task.answers[item]?.revision ?? 0) > answer.revision) return;
      await this.drawer.put(TASK + id, { ...task, answers: { ...task.answers, [item]: answer } });
    });
  }

  /** How many items of a task are answered; null where it is not kept. */
  async done(id: string, waiting: readonly Waiting[] = []): Promise<number | null> {
    const task = await this.task(id);
    if (!task) return null;
    const said = new Map(Object.entries(task.answers).map(([item, { value }]) => [item, value]));
    for (const each of waiting) if (each.task === id) said.set(each.item, each.value);
    return [...said.values()].filter((value) => firstGap(task.kind, sameKind(value)) === null)
      .length;
  }

  async forget(): Promise<void> {
    for (const name of await this.drawer.names()) await this.drawer.remove(name);
  }
}
