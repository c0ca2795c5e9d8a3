// Tasks of a kind in batches, with a break after each.

import type { Me, TaskSummary } from "../../generated/annotate";

export interface Batch {
  readonly number: number;
  readonly of: number;
  readonly tasks: readonly TaskSummary[];
}

/** All as one where the campaign has no batches. */
export function batchesOf(tasks: readonly TaskSummary[], size: number): Batch[] {
  const each = size || Math.max(1, tasks.length);
  const of = Math.ceil(tasks.length / each);
  return Array.from({ length: of }, (_, i) => ({
    number: i + 1,
    of,
    tasks: tasks.slice(i * each, (i + 1) * each),
  }));
}

/** The batch that ends with this task, if what else is in it is answered and work is left. */
export function endedBatch(me: Me, id: string): Batch | null {
  const present = me.tasks.find((task) => task.id === id);
  const others = me.tasks.filter((task) => task.kind === present?.kind);
  const batches = batchesOf(others, me.batch);
  const own = batches.find(({ tasks }) => tasks.some((task) => task.id === id));
  if (!own || batches.length < 2 || !me.tasks.some((task) => task.id !== id && isOpen(task))) {
    return null;
  }
  return own.tasks.some((task) => task.id !== id && isOpen(task)) ? null : own;
}

export function isOpen(task: TaskSummary): boolean {
  return task.done < task.total;
}
