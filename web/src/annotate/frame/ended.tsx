// When nothing more is asked: the campaign is closed, or somebody's link was withdrawn.

import type { Session } from "../session";
import { Completion } from "./completion";
import { SaveState } from "./save_state";

export function Ended(props: { session: Session }) {
  const { me, outbox } = props.session;
  const done = me.tasks.reduce((sum, task) => sum + Math.min(task.done, task.total), 0);
  const closed = me.standing === "closed";
  return (
    <div class="home">
      <header class="bar">
        <span class="brand">isogloss</span>
        <span class="space" />
        <SaveState outbox={outbox} />
      </header>
      <main class="trouble">
        <p class="soft">
          <bdi>{me.campaign}</bdi>
        </p>
        <h1>{closed ? "The campaign is closed." : "Your link was withdrawn."}</h1>
        <p>
          {done > 0
            ? `Thank you, ${me.name}: your ${done.toLocaleString()} ${done === 1 ? "answer counts" : "answers count"}.`
            : `Thank you for coming, ${me.name}.`}{" "}
          {closed
            ? "Nothing more can be answered now."
            : "Somebody else goes on with what was left."}
        </p>
        {closed && me.enrolled && me.tasks.every((task) => task.done >= task.total) && (
          <Completion />
        )}
        <p class="soft">Answers that this browser still had are handed to the organiser.</p>
      </main>
    </div>
  );
}
