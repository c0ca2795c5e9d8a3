// Answers that the server will never take: rare, and never silent.

import type { Outbox } from "../saving/outbox";
import { useWatched } from "../session";

export function RefusedNotices(props: { outbox: Outbox }) {
  const { outbox } = props;
  useWatched(outbox);
  if (outbox.refused.length === 0) return null;
  return (
    <div class="notices" role="alert">
      {outbox.refused.map((each) => (
        <p key={each.answer.key}>
          An answer was not taken ({each.answer.item}): {each.reason}
          <button type="button" class="plain" onClick={() => outbox.dismiss(each)}>
            Dismiss
          </button>
        </p>
      ))}
    </div>
  );
}
