// Two answers to one item, given in two places: both are shown, a person chooses.

import type { Clash, Value } from "../saving/outbox";
import { type Session, useWatched } from "../session";
import { itemParts } from "../task/screens";
import { type Kind, said } from "../task/values";
import { Dialog } from "./dialog";

export function ClashDialog(props: { session: Session }) {
  const { outbox, me } = props.session;
  useWatched(outbox);
  const [clash] = outbox.clashes.values();
  if (!clash) return null;
  const kind = me.tasks.find((task) => task.id === clash.mine.task)?.kind;
  if (!kind) return null;
  return <Choice key={clash.mine.key} clash={clash} kind={kind} session={props.session} />;
}

function Choice(props: { clash: Clash; kind: Kind; session: Session }) {
  const { clash, kind } = props;
  const keep = (winner: "mine" | "theirs") => () => props.session.outbox.settle(clash, winner);
  return (
    <Dialog
      title="Two answers to the same question"
      class="clash"
      close={null}
      shortcuts={[
        { keys: ["1"], label: "Keep the answer of this tab", run: keep("mine") },
        { keys: ["2"], label: "Keep the other answer", run: keep("theirs") },
      ]}
    >
      <h2>Two answers to the same question</h2>
      <p class="soft">
        {placeName(clash.mine.item)} was answered elsewhere in the meantime, in another tab or on
        another computer. Which answer is right?
      </p>
      <div class="sides">
        <Side title="This tab" kind={kind} value={clash.mine.value} at={clash.mine.at}>
          <button type="button" class="main" onClick={keep("mine")}>
            Keep this one <kbd>1</kbd>
          </button>
        </Side>
        <Side title="Saved elsewhere" kind={kind} value={clash.theirs.value} at={clash.theirs.at}>
          <button type="button" class="main" onClick={keep("theirs")}>
            Keep this one <kbd>2</kbd>
          </button>
        </Side>
      </div>
    </Dialog>
  );
}

function Side(props: {
  title: string;
  kind: Kind;
  value: Value;
  at: number;
  children: preact.ComponentChildren;
}) {
  return (
    <section>
      <h3>{props.title}</h3>
      <p>
        <bdi>{said(props.kind, props.value)}</bdi>
      </p>
      <p class="soft">{new Date(props.at).toLocaleTimeString()}</p>
      {props.children}
    </section>
  );
}

function placeName(item: string): string {
  const { number, slot } = itemParts(item);
  return slot ? `Number ${number + 1}, translation ${slot},` : `Number ${number + 1}`;
}
