// Other tabs of the same person: each tells the others what it has saved.

import type { AnswerView } from "../../generated/annotate";
import type { Outbox } from "./outbox";

interface News {
  readonly task: string;
  readonly item: string;
  readonly answer: AnswerView;
}

/** Keeps the outbox up to date with other tabs, and them with it. */
export function shareWithTabs(outbox: Outbox): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel("isogloss.answers");
  let hearing = false;
  outbox.onSettled((task, item, answer) => {
    if (!hearing) channel.postMessage({ task, item, answer } satisfies News);
  });
  channel.onmessage = ({ data }: MessageEvent<News>) => {
    hearing = true;
    outbox.hear(data.task, data.item, data.answer);
    hearing = false;
  };
}
