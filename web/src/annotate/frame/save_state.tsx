// Whether everything is saved, always in sight.

import type { Outbox } from "../saving/outbox";
import { useWatched } from "../session";

export function SaveState(props: { outbox: Outbox }) {
  const { outbox } = props;
  useWatched(outbox);
  const [look, words] = stateOf(outbox);
  return (
    <span class={`save-state ${look}`} role="status">
      {words}
      {look === "away" && (
        <button type="button" class="plain" onClick={() => outbox.retry()}>
          Try now
        </button>
      )}
    </span>
  );
}

function stateOf(outbox: Outbox): [string, string] {
  const { waiting, reach } = outbox;
  if (reach === "signed out") return ["away", "Signed out: open your link again"];
  const kept = outbox.kept ? "kept in this browser" : "keep this page open";
  if (reach === "failing" && waiting) {
    return ["away", `Not saved: ${outbox.reason} · ${waiting} waiting, ${kept}`];
  }
  if (reach === "unreachable") {
    return ["away", waiting ? `Offline · ${waiting} waiting, ${kept}` : "Offline"];
  }
  if (waiting) return ["busy", outbox.sending ? "Saving…" : `${waiting} waiting`];
  return ["fine", "All saved"];
}
