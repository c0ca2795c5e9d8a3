// The annotator's work at a glance: what there is, how far it has come, where to go on.

import type { TaskSummary, TutorialStanding } from "../../generated/annotate";
import { LookSwitch } from "../../shared/look";
import { address } from "../../shared/router";
import type { Panels } from "../app";
import type { Session } from "../session";
import { Completion } from "./completion";
import { LearnFirst, toLearn, TutorialEntry } from "../tutorial/entry";
import { batchesOf, isOpen } from "./batches";
import { Guidelines } from "./guidelines";
import { Saving } from "./saving";

export const KINDS: Record<TaskSummary["kind"], [string, string]> = {
  phase1: ["Lines", "Rate every line of every translation; report words to look at again."],
  phase2: ["Markables", "Follow one expression through the document, in all translations."],
  da: ["Scores", "Give every segment a score from 0 to 100."],
  spans: ["Errors", "Mark the errors in each segment, then give it a score."],
  contrastive: [
    "Errors, side by side",
    "Mark the errors in all translations of a segment, and score them on one scale.",
  ],
  document: ["Whole documents", "Read each translation to its end and give it a score."],
  preference: ["Better translations", "Say which of two translations is better, and why."],
  consistency: ["Repeated words", "Say whether a repeated word must be translated alike."],
};

export function Home(props: { session: Session; panels: Panels }) {
  const { me } = props.session;
  const done = sum(me.tasks, (task) => Math.min(task.done, task.total));
  const total = sum(me.tasks, (task) => task.total);
  const next = me.tasks.find((task) => task.done < task.total);
  const learning = new Map(me.tutorials.map((each) => [each.phase, each]));
  const first = next && toLearn(learning.get(next.kind));
  return (
    <div class="home">
      <header class="bar">
        <span class="brand">isogloss</span>
        <span class="space" />
        <Saving session={props.session} />
        <button type="button" class="plain keys" onClick={props.panels.openHelp}>
          Keys <kbd>?</kbd>
        </button>
        <LookSwitch />
      </header>
      <div class="home-body">
        <main>
          <p class="soft">Hello, {me.name}.</p>
          <h1>
            <bdi>{me.campaign}</bdi>
          </h1>
          <div class="whole">
            <Bar done={done} total={total} label="All your work" />
            <p class="soft">
              {done.toLocaleString()} of {total.toLocaleString()} answered
            </p>
            {first ? (
              <LearnFirst standing={first} />
            ) : (
              next && (
                <a class="main" href={address("task", next.id)}>
                  {done ? "Go on where you stopped" : "Begin"}
                </a>
              )
            )}
            {!next && total > 0 && <p class="finished">Everything is answered. Thank you!</p>}
            {!next && total > 0 && me.enrolled && <Completion />}
            {total === 0 && <p>There is nothing to do yet. Come back with the same link later.</p>}
          </div>
          {(Object.keys(KINDS) as TaskSummary["kind"][]).map((kind) => (
            <Group
              key={kind}
              kind={kind}
              tasks={me.tasks.filter((task) => task.kind === kind)}
              tutorial={learning.get(kind)}
              batch={me.batch}
            />
          ))}
        </main>
        <Guidelines text={me.guidelines} />
      </div>
    </div>
  );
}

function Group(props: {
  kind: TaskSummary["kind"];
  tasks: readonly TaskSummary[];
  tutorial: TutorialStanding | undefined;
  batch: number;
}) {
  if (props.tasks.length === 0 && !props.tutorial) return null;
  const locked = toLearn(props.tutorial) !== null;
  const [name, about] = KINDS[props.kind];
  return (
    <section class="group">
      <h2>{name}</h2>
      <p class="soft">{about}</p>
      {props.tutorial && (
        <ul class="tasks">
          <TutorialEntry standing={props.tutorial} />
        </ul>
      )}
      {batchesOf(props.tasks, props.batch).map((batch) => (
        <div key={batch.number}>
          {batch.of > 1 && (
            <h3 class="batch">
              Batch {batch.number} of {batch.of}
              {!batch.tasks.some(isOpen) && <span class="soft"> · done</span>}
            </h3>
          )}
          <ul class="tasks">
            {batch.tasks.map((task) => (
              <Entry key={task.id} task={task} locked={locked} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

function Entry(props: { task: TaskSummary; locked: boolean }) {
  const { task, locked } = props;
  const colon = task.title.indexOf(": ");
  const subject = colon < 0 ? null : task.title.slice(colon + 2);
  const state = locked
    ? "Later"
    : task.done === 0
      ? "Begin"
      : task.done < task.total
        ? "Go on"
        : "Look again";
  return (
    <li>
      <a {...(locked ? { "aria-disabled": "true" as const } : { href: address("task", task.id) })}>
        <span class="what">
          <bdi>{subject ?? task.document}</bdi>
          {subject && (
            <span class="soft">
              {" "}
              in <bdi>{task.document}</bdi>
            </span>
          )}
        </span>
        <Bar done={task.done} total={task.total} label={task.title} />
        <span class="count">
          {task.done}/{task.total}
        </span>
        <span class="state">{state}</span>
      </a>
    </li>
  );
}

export function Bar(props: { done: number; total: number; label: string }) {
  const share = props.total ? Math.min(1, props.done / props.total) : 0;
  return (
    <span
      class={share === 1 ? "progress full" : "progress"}
      role="progressbar"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={props.total}
      aria-valuenow={props.done}
    >
      <span style={{ inlineSize: `${share * 100}%` }} />
    </span>
  );
}

function sum<T>(all: readonly T[], number: (each: T) => number): number {
  return all.reduce((total, each) => total + number(each), 0);
}
