// The layout of every task: a bar above, the source document beside the translations.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { address, go } from "../../shared/router";
import type { ShownMark } from "../../shared/marked_text";
import { LookSwitch } from "../../shared/look";
import { Dialog } from "../frame/dialog";
import { Bar } from "../frame/home";
import { endedBatch } from "../frame/batches";
import { Saving } from "../frame/saving";
import { useUnderWay } from "../session";
import { type Selecting, SelectionBar } from "../input/selecting";
import { Lessons, Practice } from "../tutorial/lessons";
import { DocumentPane } from "./document_pane";
import type { Kind } from "./values";
import { answered, type Work } from "./work";

export function Workbench<K extends Kind>(props: {
  work: Work<K>;
  title: string;
  unit: string;
  selecting: Selecting;
  marks: (segment: number) => readonly ShownMark[];
  /** Above the rows: what they are about. */
  above?: ComponentChildren;
  below?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { work } = props;
  const rows = useRef<HTMLElement>(null);
  useEffect(() => rows.current?.scrollTo(0, 0), [work.cursor.screen]);
  return (
    <div class="workbench">
      <TaskBar work={work} title={props.title} unit={props.unit} />
      <DocumentPane work={work} marks={props.marks} />
      <main class="rows" aria-label="Translations" tabIndex={-1} ref={rows}>
        {props.above}
        <div class={work.beside && !work.focused ? "cards columns" : "cards"}>{props.children}</div>
        {work.tutor && <Lessons work={work} tutor={work.tutor} />}
        {work.finished && !work.tutor && <Finished work={work} />}
        <StillOpen work={work} />
        {!work.tutor?.ended && <Turning work={work} unit={props.unit} />}
      </main>
      {props.below}
      <SelectionBar selecting={props.selecting} />
      {work.leaving && <Leaving work={work} />}
    </div>
  );
}

function TaskBar<K extends Kind>(props: { work: Work<K>; title: string; unit: string }) {
  const { work } = props;
  const { cursor, screens, session, panels } = work;
  const { open, total } = work;
  const done = total - open;
  return (
    <header class="bar">
      <a
        class="back"
        href={address("home")}
        aria-label="All tasks"
        onClick={(event) => {
          // Another tab, by a key that is held, takes nobody away.
          if (!work.passedOver || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          work.leave();
        }}
      >
        ←
      </a>
      <h1>
        <bdi>{props.title}</bdi>
      </h1>
      <nav class="turn" aria-label={props.unit}>
        <button type="button" class="plain" aria-label="Back" onClick={() => cursor.turn(-1)}>
          ‹
        </button>
        <span>
          {cursor.current.whole && props.unit === "Segment" ? (
            "Whole document"
          ) : (
            <>
              {props.unit} {cursor.screen + 1} of {screens.length}
            </>
          )}
        </span>
        <button type="button" class="plain" aria-label="Forward" onClick={() => cursor.turn(1)}>
          ›
        </button>
      </nav>
      <Bar done={done} total={total} label="This task" />
      <span class="count">
        {done}/{total}
      </span>
      <span class="space" />
      {work.tutor ? <Practice tutor={work.tutor} /> : <Saving session={session} />}
      <button
        type="button"
        class="plain"
        title="Only the present translation"
        aria-pressed={work.focused}
        onClick={work.toggleFocus}
      >
        Focus <kbd>F</kbd>
      </button>
      {cursor.current.rows.length > 1 && (
        <button
          type="button"
          class="plain columns-switch"
          aria-pressed={work.beside}
          onClick={work.toggleBeside}
        >
          Side by side <kbd>B</kbd>
        </button>
      )}
      <button type="button" class="plain" disabled={!work.answers.canUndo} onClick={work.undo}>
        Undo <kbd>U</kbd>
      </button>
      <button
        type="button"
        class="plain"
        aria-pressed={panels.guidelines}
        onClick={panels.toggleGuidelines}
      >
        Guidelines <kbd>G</kbd>
      </button>
      <button type="button" class="plain keys" onClick={panels.openHelp}>
        Keys <kbd>?</kbd>
      </button>
      <LookSwitch />
    </header>
  );
}

/** The way on stands under the last row, where the eyes are then. */
function Turning<K extends Kind>(props: { work: Work<K>; unit: string }) {
  const { work } = props;
  const done = answered(work, work.cursor.current);
  const check = done && work.tutor?.wants(work.cursor.current, work.answers);
  return (
    <footer class="turning">
      <button type="button" class={done ? "main" : "plain"} onClick={work.goOn}>
        {check ? "Check" : done ? "Go on" : "To the next open question"} <kbd>Enter</kbd>
      </button>
    </footer>
  );
}

function Finished<K extends Kind>(props: { work: Work<K> }) {
  const { session, task } = props.work;
  const underWay = useUnderWay(session.outbox);
  useEffect(() => {
    if (!underWay) session.refresh(); // where to go next depends on what has arrived
  }, [underWay]);
  const next = session.me.tasks.find((each) => each.id !== task.id && each.done < each.total);
  const batch = endedBatch(session.me, task.id);
  return (
    <div class="finished" role="status">
      <p>
        Everything in this task is answered.
        {batch && (
          <>
            <br />
            Batch {batch.number} of {batch.of} is done: a good moment for a break. You can come back
            with the same link at any time.
          </>
        )}
      </p>
      <a class="main" href={next ? address("task", next.id) : address("home")}>
        {next ? "Next task" : "Back to all tasks"}
      </a>
    </div>
  );
}

/** Whoever has answered the last screen is told what they passed over on the way. */
function StillOpen<K extends Kind>(props: { work: Work<K> }) {
  const { work } = props;
  const last = work.cursor.screen === work.screens.length - 1;
  if (!last || !work.passedOver || !answered(work, work.cursor.current)) return null;
  return (
    <p class="still-open" role="status">
      This is the end of the task, but {stillOpen(work.open)}.
    </p>
  );
}

function stillOpen(count: number): string {
  return count === 1 ? "1 question is still open" : `${count} questions are still open`;
}

/** Asked of whoever leaves a task that they went through, and not all the way. */
function Leaving<K extends Kind>(props: { work: Work<K> }) {
  const { work } = props;
  const show = () => {
    work.stay();
    work.goOn();
  };
  const leave = () => go(address("home"));
  return (
    <Dialog
      title="Leave this task?"
      class="leaving"
      close={work.stay}
      shortcuts={[
        { keys: ["1"], label: "Show me", run: show },
        { keys: ["2"], label: "Leave anyway", run: leave },
      ]}
    >
      <h2>Leave this task?</h2>
      <p>
        In this task {stillOpen(work.open)}. What you answered is saved, and you can come back with
        the same link at any time.
      </p>
      <div class="verdicts">
        <button type="button" class="main" onClick={show}>
          Show me <kbd>1</kbd>
        </button>
        <button type="button" class="plain" onClick={leave}>
          Leave anyway <kbd>2</kbd>
        </button>
      </div>
    </Dialog>
  );
}
