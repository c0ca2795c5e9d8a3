import { expect, it } from "vitest";

import type { Me, TaskSummary } from "../src/generated/annotate";
import { batchesOf, endedBatch } from "../src/annotate/frame/batches";

const task = (id: number, done = 0, kind = "da") =>
  ({ id: `t${id}`, kind, title: "", document: "", done, total: 1 }) as TaskSummary;
const ids = (all: readonly TaskSummary[]) => all.map(({ id }) => id);
const me = (batch: number, ...tasks: TaskSummary[]) => ({ batch, tasks }) as unknown as Me;

it("the last batch is as large as what is left", () => {
  const batches = batchesOf([task(0), task(1), task(2)], 2);
  expect(batches.map(({ number, of, tasks }) => [number, of, ids(tasks)])).toEqual([
    [1, 2, ["t0", "t1"]],
    [2, 2, ["t2"]],
  ]);
  expect(batchesOf([task(0), task(1)], 0)).toHaveLength(1);
  expect(batchesOf([], 0)).toEqual([]);
});

it("a break comes where a batch ends and work is left", () => {
  expect(endedBatch(me(2, task(0, 1), task(1), task(2)), "t1")?.number).toBe(1);
  expect(endedBatch(me(2, task(0), task(1), task(2)), "t1")).toBeNull();
  expect(endedBatch(me(2, task(0, 1), task(1, 1), task(2)), "t2")).toBeNull();
  expect(endedBatch(me(0, task(0, 1), task(1)), "t1")).toBeNull();
  expect(endedBatch(me(1, task(0), task(1, 1), task(2, 0, "spans")), "t0")?.of).toBe(2);
});
