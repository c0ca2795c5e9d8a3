// Who is here, and the way their answers go.

import { useLayoutEffect, useReducer, useState } from "preact/hooks";

import type { Me } from "../generated/annotate";
import { sendAnswers } from "./api";
import type { WorkSource } from "./offline/source";
import { Outbox } from "./saving/outbox";
import type { Shelf } from "./saving/shelf";
import { shareWithTabs } from "./saving/tabs";

export interface Session {
  readonly me: Me;
  readonly outbox: Outbox;
  readonly source: WorkSource;
  /** Counts are asked for once more. */
  readonly refresh: () => void;
}

export function sessionOf(me: Me, source: WorkSource, shelf: Shelf): Session {
  const send = (answers: Parameters<typeof sendAnswers>[1], leaving: boolean) =>
    sendAnswers("/api/answers", answers, leaving);
  const outbox = new Outbox(send, shelf, () => void source.getMe().catch(() => undefined));
  shareWithTabs(outbox);
  outbox.onSettled((task, item, answer) => source.note(task, item, answer));
  source.onReach = (there) => outbox.hearOf(there);
  outbox.hearOf(source.there);
  outbox.adopt(new Set(me.tasks.map((task) => task.id)));
  addEventListener("online", () => outbox.retry());
  addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void outbox.flush(true);
  });
  return { me, outbox, source, refresh: () => undefined };
}

/** Draws again whenever something that is watched changes. */
export function useWatched(watched: { watch(watcher: () => void): () => void }): void {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => watched.watch(() => again(undefined)), [watched]);
}

/** Whether answers wait to be saved; the page is drawn again only when that changes. */
export function useUnderWay(outbox: Outbox): boolean {
  const [underWay, setUnderWay] = useState(outbox.waiting > 0);
  useLayoutEffect(() => outbox.watch(() => setUnderWay(outbox.waiting > 0)), [outbox]);
  return underWay;
}
