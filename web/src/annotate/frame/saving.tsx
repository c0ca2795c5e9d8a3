// What becomes of what is said here: it is saved, or this is a preview.

import type { Session } from "../session";
import { SaveState } from "./save_state";

export function Saving(props: { session: Session }) {
  const { me, outbox } = props.session;
  if (!me.preview) return <SaveState outbox={outbox} />;
  return (
    <span class="save-state busy" role="status">
      Preview: nothing is kept
    </span>
  );
}
