import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Receipt, SentAnswer } from "../src/generated/annotate";
import { Refusal, Unreachable } from "../src/annotate/api";
import { Outbox } from "../src/annotate/saving/outbox";
import type { Shelf, Waiting } from "../src/annotate/saving/shelf";

class MemoryShelf implements Shelf {
  readonly kept = new Map<string, Waiting>();
  all = () => [...this.kept.values()];
  has = (key: string) => this.kept.has(key);
  put = (entry: Waiting) => Boolean(this.kept.set(entry.key, entry));
  remove = (key: string) => void this.kept.delete(key);
}

/** Saves as the campaign's store does: by key once, on the revision that stands. */
class Server {
  readonly standing = new Map<string, { revision: number; value: SentAnswer["value"] }>();
  readonly keys = new Map<string, number>();
  trouble: "cut before" | "cut after" | Refusal | null = null;

  send = async (answers: readonly SentAnswer[]) => {
    if (this.trouble instanceof Refusal) throw this.trouble;
    if (this.trouble === "cut before") throw new Unreachable("cut");
    const receipts = answers.map((answer) => this.save(answer));
    if (this.trouble === "cut after") throw new Unreachable("cut");
    return { receipts };
  };

  private save({ key, item, revision, value }: SentAnswer): Receipt {
    const none = { key, revision: null, conflict: null, refused: null };
    const known = this.keys.get(key);
    if (known !== undefined) return { ...none, revision: known };
    if (value["wrong"]) return { ...none, refused: "wrong" };
    const stands = this.standing.get(item);
    if ((stands?.revision ?? 0) !== revision) {
      return { ...none, conflict: { ...(stands as { revision: number; value: {} }), at: 0 } };
    }
    this.standing.set(item, { revision: revision + 1, value });
    this.keys.set(key, revision + 1);
    return { ...none, revision: revision + 1 };
  }
}

let server: Server;
let shelf: MemoryShelf;
let outbox: Outbox;

const said = (item: string) => server.standing.get(item);
const all = async () => {
  for (let i = 0; i < 30; i++) await vi.advanceTimersByTimeAsync(40_000);
};

beforeEach(() => {
  vi.useFakeTimers();
  server = new Server();
  shelf = new MemoryShelf();
  outbox = new Outbox(server.send, shelf);
});

describe("an outbox", () => {
  it("sends only the last of quick changes", async () => {
    outbox.add("t", "a", 0, { score: 1 });
    outbox.add("t", "a", 0, { score: 2 });
    outbox.add("t", "b", 4, { score: 3 });
    expect([outbox.waiting, shelf.kept.size]).toEqual([2, 2]);
    server.standing.set("b", { revision: 4, value: {} });
    await all();
    expect(said("a")).toEqual({ revision: 1, value: { score: 2 } });
    expect(said("b")).toEqual({ revision: 5, value: { score: 3 } });
    expect([outbox.waiting, shelf.kept.size, outbox.reach]).toEqual([0, 0, "reached"]);
  });

  it.each(["cut before", "cut after"] as const)(
    "loses and doubles nothing: %s",
    async (trouble) => {
      server.trouble = trouble;
      outbox.add("t", "a", 0, { score: 1 });
      await vi.advanceTimersByTimeAsync(1000);
      expect(outbox.reach).toBe("unreachable");
      outbox.add("t", "a", 0, { score: 2 }); // the first may have arrived: this one builds upon it
      expect(outbox.waiting).toBe(2);
      server.trouble = null;
      await all();
      expect(said("a")).toEqual({ revision: 2, value: { score: 2 } });
      expect(outbox.clashes.size).toBe(0);
    },
  );

  it("tells of a clash, and lets a person choose", async () => {
    server.standing.set("a", { revision: 1, value: { score: 9 } });
    outbox.add("t", "a", 0, { score: 1 });
    await all();
    const [clash] = outbox.clashes.values();
    expect(clash?.theirs.value).toEqual({ score: 9 });
    expect([outbox.waiting, shelf.kept.size]).toEqual([0, 1]);
    outbox.settle(clash as NonNullable<typeof clash>, "mine");
    await all();
    expect(said("a")).toEqual({ revision: 2, value: { score: 1 } });
  });

  it("never overwrites by a later change what the first one clashed with", async () => {
    server.standing.set("a", { revision: 1, value: { score: 9 } });
    server.trouble = "cut before";
    outbox.add("t", "a", 0, { score: 1 });
    await vi.advanceTimersByTimeAsync(600);
    outbox.add("t", "a", 0, { score: 2 }); // based on revision 1, which is somebody else's
    server.trouble = null;
    await all();
    expect(said("a")?.value).toEqual({ score: 9 });
    const [clash] = outbox.clashes.values();
    expect(clash?.mine.value).toEqual({ score: 2 });
    outbox.settle(clash as NonNullable<typeof clash>, "theirs");
    expect(shelf.kept.size).toBe(0);
  });

  it("goes on with what an earlier page left behind, and leaves the rest alone", async () => {
    server.trouble = "cut after";
    outbox.add("t", "a", 0, { score: 1 });
    outbox.add("other campaign", "a", 0, { score: 5 });
    await vi.advanceTimersByTimeAsync(600);
    server.trouble = null;
    const next = new Outbox(server.send, shelf);
    next.adopt(new Set(["t"]));
    expect(next.last("t", "a")?.value).toEqual({ score: 1 });
    await next.flush();
    expect([...shelf.kept.values()].map((entry) => entry.task)).toEqual(["other campaign"]);
  });

  it("drops what another tab has saved", async () => {
    server.trouble = "cut before";
    outbox.add("t", "a", 0, { score: 1 });
    const other = new Outbox(server.send, shelf);
    other.adopt(new Set(["t"]));
    server.trouble = null;
    await other.flush();
    const heard = vi.fn();
    outbox.onSettled(heard);
    outbox.hear("t", "a", { revision: 1, value: { score: 1 }, at: 0 });
    expect(outbox.waiting).toBe(0);
    expect(heard).toHaveBeenCalledOnce();
  });

  it("keeps no answer back because another is wrong", async () => {
    outbox.add("t", "a", 0, { wrong: true });
    outbox.add("t", "b", 0, { score: 1 });
    await all();
    expect(said("b")?.revision).toBe(1);
    expect(outbox.refused.map((each) => each.answer.item)).toEqual(["a"]);
  });

  it("waits for whoever was signed out", async () => {
    server.trouble = new Refusal(401, "nobody knows you here", "");
    outbox.add("t", "a", 0, { score: 1 });
    await vi.advanceTimersByTimeAsync(600);
    expect(outbox.reach).toBe("signed out");
    server.trouble = null;
    outbox.retry();
    await all();
    expect(said("a")?.revision).toBe(1);
  });

  it("says why the server cannot save, and goes on when it can", async () => {
    server.trouble = new Refusal(503, "the campaign's disk is full", "");
    outbox.add("t", "a", 0, { score: 1 });
    await vi.advanceTimersByTimeAsync(600);
    expect([outbox.reach, outbox.reason]).toEqual(["failing", "the campaign's disk is full"]);
    expect([outbox.waiting, shelf.kept.size]).toEqual([1, 1]);
    server.trouble = null;
    await all();
    expect([said("a")?.revision, outbox.reach, shelf.kept.size]).toEqual([1, "reached", 0]);
  });

  it.each([404, 413, 422, 502])("keeps answers whatever a proxy says: %i", async (status) => {
    server.trouble = new Refusal(status, "Not Found", "", false);
    for (const item of "abc") outbox.add("t", item, 0, { score: 1 });
    await all();
    expect([outbox.waiting, shelf.kept.size, outbox.refused.length]).toEqual([3, 3, 0]);
    server.trouble = null;
    await all();
    expect(outbox.waiting).toBe(0);
  });

  it("sends fewer at a time where they were too much", async () => {
    const sizes: number[] = [];
    const careful = new Outbox(async (answers) => {
      sizes.push(answers.length);
      if (answers.length > 3) throw new Refusal(413, "this is too large", "");
      return server.send(answers);
    }, shelf);
    for (const item of "abcdefghij") careful.add("t", item, 0, { score: 1 });
    await all();
    expect(sizes.slice(0, 3)).toEqual([10, 5, 2]);
    expect([careful.waiting, careful.refused.length]).toEqual([0, 0]);
  });

  it("keeps the order of answers where the clock is set back", async () => {
    server.trouble = "cut after";
    outbox.add("t", "a", 0, { score: 1 });
    await vi.advanceTimersByTimeAsync(600);
    vi.setSystemTime(Date.now() - 3_600_000);
    const next = new Outbox(server.send, shelf);
    next.adopt(new Set(["t"]));
    next.add("t", "a", 0, { score: 2 });
    expect(next.last("t", "a")?.value).toEqual({ score: 2 });
    server.trouble = null;
    await all();
    expect(said("a")).toEqual({ revision: 2, value: { score: 2 } });
  });
});
