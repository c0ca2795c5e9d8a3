import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Me, TaskView } from "../src/generated/annotate";
import { Refusal, Unreachable } from "../src/annotate/api";
import type { Drawer } from "../src/annotate/offline/drawer";
import { KeptWork } from "../src/annotate/offline/kept";
import { WorkSource } from "../src/annotate/offline/source";
import type { Waiting } from "../src/annotate/saving/shelf";

class MemoryDrawer implements Drawer {
  readonly kept = new Map<string, string>();
  get = async (name: string) => JSON.parse(this.kept.get(name) ?? "null") as unknown;
  put = async (name: string, value: unknown) => void this.kept.set(name, JSON.stringify(value));
  remove = async (name: string) => void this.kept.delete(name);
  names = async () => [...this.kept.keys()];
  alone = <T>(job: () => Promise<T>) => job();
}

const summary = (id: string, done = 0) =>
  ({ id, kind: "da", title: id, document: id, done, total: 2 }) as const;
const me = (...tasks: Me["tasks"]) =>
  ({ name: "ann", role: "annotator", tasks, tutorials: [] }) as unknown as Me;
const task = (id: string, scores: Record<string, number> = {}, revision = 1) => {
  const answers = Object.fromEntries(
    Object.entries(scores).map(([item, score]) => [item, { revision, value: { score }, at: 0 }]),
  );
  return { id, kind: "da", items: ["seg:0/A", "seg:1/A"], answers } as unknown as TaskView;
};

let drawer: MemoryDrawer;
let kept: KeptWork;
let waiting: Waiting[];
const server = {
  getMe: vi.fn<() => Promise<Me>>(),
  getTask: vi.fn<(id: string) => Promise<TaskView>>(),
};
let source: WorkSource;

beforeEach(() => {
  drawer = new MemoryDrawer();
  kept = new KeptWork(drawer);
  waiting = [];
  vi.resetAllMocks();
  source = new WorkSource(server, kept, { all: () => waiting });
});

const cut = () => {
  server.getMe.mockRejectedValue(new Unreachable("cut"));
  server.getTask.mockRejectedValue(new Unreachable("cut"));
};

describe("without a server", () => {
  it("work is as it was, with what arrived and what waits", async () => {
    server.getMe.mockResolvedValue(me(summary("t1"), summary("t2")));
    server.getTask.mockResolvedValue(task("t1"));
    await source.getMe();
    await source.getTask("t1");
    source.note("t1", "seg:0/A", { revision: 1, value: { score: 7 }, at: 1 });
    cut();
    waiting = [{ task: "t1", item: "seg:1/A", value: { score: 9 } } as unknown as Waiting];
    const heard: boolean[] = [];
    source.onReach = (there) => heard.push(there);
    expect((await source.getMe()).tasks.map((each) => each.done)).toEqual([2, 0]);
    expect((await source.getTask("t1")).answers["seg:0/A"]?.value).toEqual({ score: 7 });
    await expect(source.getTask("t2")).rejects.toThrow("cut");
    expect(heard).toEqual([false, false, false]);
    expect(source.there).toBe(false);
  });

  it("a proxy that finds nobody is no answer, and a refusal is one", async () => {
    server.getMe.mockResolvedValue(me(summary("t1")));
    await source.getMe();
    server.getMe.mockRejectedValue(new Refusal(502, "bad gateway", "", false));
    expect((await source.getMe()).name).toBe("ann");
    server.getMe.mockRejectedValue(new Refusal(429, "too many requests", ""));
    await expect(source.getMe()).rejects.toThrow("too many");
  });

  it("nothing is kept of somebody whom the server no longer knows", async () => {
    server.getMe.mockResolvedValue(me(summary("t1")));
    await source.getMe();
    server.getMe.mockRejectedValue(new Refusal(401, "nobody knows you here", ""));
    await expect(source.getMe()).rejects.toThrow("nobody");
    expect(drawer.kept.size).toBe(0);
  });

  it("somebody else's work is not kept beside mine, nor the organiser's", async () => {
    server.getMe.mockResolvedValue(me(summary("t1")));
    await source.getMe();
    await kept.keepTask(task("t1"));
    server.getMe.mockResolvedValue(me(summary("t2")));
    await source.getMe();
    expect(await drawer.names()).toEqual(["me"]);
    server.getMe.mockResolvedValue({ ...me(), role: "organiser" });
    await source.getMe();
    expect(await drawer.names()).toEqual([]);
  });
});

describe("what is kept", () => {
  it("of two versions of an answer the newer one, whichever came last", async () => {
    await kept.keepTask(task("t1", { "seg:0/A": 10 }));
    await kept.note("t1", "seg:0/A", { revision: 3, value: { score: 30 }, at: 1 });
    await kept.note("t1", "seg:0/A", { revision: 2, value: { score: 20 }, at: 1 });
    await kept.keepTask(task("t1", { "seg:0/A": 10, "seg:1/A": 1 })); // was asked for before
    const { answers } = (await kept.task("t1")) as TaskView;
    expect([answers["seg:0/A"]?.value, answers["seg:1/A"]?.value]).toEqual([
      { score: 30 },
      { score: 1 },
    ]);
  });

  it("the next tasks, each fetched once and only where it is not at hand", async () => {
    const many = Array.from({ length: 14 }, (_, i) => summary(`t${i}`, i === 0 ? 2 : 0));
    await kept.keepTask(task("t1"));
    server.getTask.mockImplementation(async (id) => task(id));
    await source.lookAhead(me(...many));
    await source.lookAhead(me(...many));
    const asked = server.getTask.mock.calls.map(([id]) => id);
    expect(asked).toEqual(["t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10"]);
  });
});
