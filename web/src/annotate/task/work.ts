// A task at work: its screens, its answers, and where the annotator is.

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";

import { go, address } from "../../shared/router";
import type { TaskView } from "../../generated/annotate";
import type { Panels } from "../app";
import { useShortcuts } from "../input/shortcuts";
import type { Answers } from "../saving/answers";
import { type Session, useWatched } from "../session";
import { NO_TUTOR, type Tutor } from "../tutorial/tutor";
import { type Cursor, useCursor } from "./cursor";
import { type Joined, useJoined } from "./joining";
import { asks, type Row, type Screen, screensOf, together } from "./screens";
import { firstGap, type Kind, questions, type ValueOf } from "./values";

export interface Surroundings {
  readonly session: Session;
  readonly panels: Panels;
  /** In a tutorial: who says what answers lack. */
  readonly tutor?: Tutor;
}

export interface Work<K extends Kind> extends Surroundings {
  readonly task: TaskView;
  readonly answers: Answers<K>;
  readonly screens: readonly Screen[];
  /** Translations with the same words. */
  readonly joined: Joined;
  readonly cursor: Cursor;
  /** Only the present translation is shown. */
  readonly focused: boolean;
  readonly toggleFocus: () => void;
  /** Translations stand beside each other, as many as there is room for. */
  readonly beside: boolean;
  readonly toggleBeside: () => void;
  /** The present translation is shown with its whole document. */
  readonly wide: boolean;
  readonly undo: () => void;
  /** True after somebody asked for more when all was answered. */
  readonly finished: boolean;
  readonly goOn: () => void;
  /** How many items are not answered, checks among them: nobody can tell those apart. */
  readonly open: number;
  /** How many there are. */
  readonly total: number;
  /** The end was reached and some items were not answered on the way. */
  readonly passedOver: boolean;
  /** Somebody wants to leave and is asked whether they know that items are open. */
  readonly leaving: boolean;
  readonly leave: () => void;
  readonly stay: () => void;
}

const SIDE_BY_SIDE: ReadonlySet<Kind> = new Set(["spans", "contrastive", "document"]);

export function useWork<K extends Kind>(answers: Answers<K>, around: Surroundings): Work<K> {
  const { task } = answers;
  useWatched(answers);
  const all = useMemo(() => screensOf(task), [task]);
  const joined = useJoined(all, answers, task.kind === "contrastive");
  const { screens } = joined;
  const tutor = around.tutor ?? NO_TUTOR;
  useWatched(tutor);
  const held = useCallback((screen: Screen) => tutor.check(screen, answers), [tutor, answers]);
  const cursor = useCursor(screens, answers, questions(task.kind), held);
  const [focused, setFocused] = useState(false);
  const [wide, setWide] = useState(false);
  const [beside, setBeside] = useState(SIDE_BY_SIDE.has(task.kind));
  const toggleBeside = () => setBeside(!beside);
  const [finished, setFinished] = useState(false);
  useEffect(() => setFinished(false), [cursor.screen, cursor.row]);
  const rows = useMemo(() => all.flatMap((screen) => screen.rows.filter(asks)), [all]);
  const open = rows.filter((row) => firstGap(task.kind, answers.value(row.item)) !== null).length;
  const [ended, setEnded] = useState(false);
  const atEnd = cursor.screen === screens.length - 1;
  useEffect(() => {
    if (atEnd) setEnded(true);
  }, [atEnd]);
  const [leaving, setLeaving] = useState(false);
  const passedOver = !around.tutor && ended && open > 0 && open < rows.length;
  const leave = () => (passedOver ? setLeaving(true) : go(address("home")));
  const toggleFocus = () => setFocused(!focused);
  const goOn = () => {
    if (!held(cursor.current)) setFinished(!cursor.seek());
  };
  const undo = () => {
    const item = answers.undo();
    if (item) cursor.find(item);
  };
  useShortcuts({
    title: "Moving about",
    shortcuts: [
      {
        keys: ["Enter"],
        label: around.tutor ? "Check, or next that is not answered" : "Next that is not answered",
        run: goOn,
      },
      { keys: ["ArrowDown"], label: "Next translation", run: () => cursor.step(1) },
      { keys: ["ArrowUp"], label: "Previous translation", run: () => cursor.step(-1) },
      { keys: ["j", "PageDown"], label: "Forward", run: () => cursor.turn(1) },
      { keys: ["k", "PageUp"], label: "Back", run: () => cursor.turn(-1) },
      { keys: ["u", "ctrl+z"], label: "Undo", run: undo },
      { keys: ["f"], label: "FOCUS: hide the other translations", run: toggleFocus },
      { keys: ["b"], label: "Translations beside or below each other", run: toggleBeside },
      {
        keys: ["d"],
        label: "The whole document in this translation",
        run: () => setWide(!wide),
      },
      { keys: ["h"], label: "Back to all tasks", run: leave },
    ],
  });
  return {
    ...around,
    task,
    answers,
    screens,
    joined,
    cursor,
    focused,
    toggleFocus,
    beside,
    toggleBeside,
    wide,
    undo,
    finished,
    goOn,
    open,
    total: rows.length,
    passedOver,
    leaving,
    leave,
    stay: () => setLeaving(false),
  };
}

/** The answer to a row as it is, or one that says nothing yet. */
export function valueOf<K extends Kind>(work: Work<K>, row: Row): ValueOf<K> {
  return work.answers.value(row.item) ?? work.answers.blankOf(row.item);
}

/** Changes parts of the answer to a row, and to those that are answered with it. */
export function change<K extends Kind>(work: Work<K>, row: Row, parts: Partial<ValueOf<K>>): void {
  const value = { ...valueOf(work, row), ...parts };
  work.answers.set(together(row).map((each) => [each.item, value]));
}

/** Whether everything that a screen asks is answered. */
export function answered<K extends Kind>(work: Work<K>, screen: Screen): boolean {
  const kind = work.answers.task.kind;
  return screen.rows.every(
    (row) => !asks(row) || firstGap(kind, work.answers.value(row.item)) === null,
  );
}
