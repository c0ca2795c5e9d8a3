// The frame around all views, and the view that the address names.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";

import { useRoute } from "../shared/router";
import { ClashDialog } from "./frame/clash";
import { Ended } from "./frame/ended";
import { Guidelines } from "./frame/guidelines";
import { Help } from "./frame/help";
import { Home, KINDS } from "./frame/home";
import { RefusedNotices } from "./frame/refused";
import { useShortcuts } from "./input/shortcuts";
import { OrganiserPage } from "./organiser/page";
import type { Outbox } from "./saving/outbox";
import { type Session, useUnderWay } from "./session";
import { TaskPage } from "./task/page";
import { TutorialPage } from "./tutorial/page";

const SOON = 150;

/**
 * Counts change and new work comes: they are asked for again with every view, after a no, and where
 * they are shown once more when answers that were still on their way have arrived.
 */
function useFresh(session: Session, view: string | null): Session {
  const [me, setMe] = useState(session.me);
  const [asked, setAsked] = useState(0);
  const underWay = useUnderWay(session.outbox) && view === null;
  const there = useHeard(session.outbox, (outbox) => outbox.reach !== "unreachable");
  const refused = useHeard(session.outbox, (outbox) => outbox.refused.length);
  useEffect(() => {
    let wanted = true;
    const take = (fresh: Session["me"]) => {
      void session.source.lookAhead(fresh);
      if (wanted) setMe(fresh);
    };
    const timer = setTimeout(() => void session.source.getMe().then(take, () => undefined), SOON);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [view, underWay, there, refused, asked]);
  return { ...session, me, refresh: () => setAsked((before) => before + 1) };
}

/** Something about the outbox; the page is drawn again only when that changes. */
function useHeard<T>(outbox: Outbox, heard: (outbox: Outbox) => T): T {
  const [found, setFound] = useState(() => heard(outbox));
  useLayoutEffect(() => outbox.watch(() => setFound(() => heard(outbox))), [outbox]);
  return found;
}

/** What can be opened beside the work. */
export interface Panels {
  readonly guidelines: boolean;
  toggleGuidelines(): void;
  openHelp(): void;
}

export function App(props: { session: Session }) {
  const route = useRoute();
  const session = useFresh(props.session, route.subject);
  const [guidelines, setGuidelines] = useState(false);
  const [help, setHelp] = useState(false);
  const panels: Panels = {
    guidelines,
    toggleGuidelines: () => {
      setGuidelines(!guidelines);
      // Among the tasks they are there already, further down where the page is narrow.
      document.querySelector<HTMLElement>(".home .guidelines")?.focus();
    },
    openHelp: () => setHelp(true),
  };
  const task = route.view === "task" ? route.subject : null;
  const learning = route.view === "tutorial" ? route.subject : null;
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const present = learning ?? session.me.tasks.find((each) => each.id === task)?.kind;
  const kind = kinds.find((each) => each === present);
  useEffect(() => {
    document.title = `${session.me.campaign} · isogloss`;
  }, []);
  useShortcuts({
    title: "Everywhere",
    shortcuts: [
      { keys: ["g"], label: "Guidelines", run: panels.toggleGuidelines },
      { keys: ["?"], label: "These shortcuts", run: panels.openHelp },
      { keys: ["Escape"], label: "Close", silent: true, run: () => setGuidelines(false) },
    ],
  });
  return (
    <div class={guidelines && (task || learning) ? "page beside" : "page"}>
      {session.me.role !== "annotator" ? (
        <OrganiserPage session={session} panels={panels} />
      ) : session.me.standing !== "open" ? (
        <Ended session={session} />
      ) : learning ? (
        <TutorialPage key={learning} phase={learning} session={session} panels={panels} />
      ) : task ? (
        <TaskPage key={task} id={task} session={session} panels={panels} />
      ) : (
        <Home session={session} panels={panels} />
      )}
      {(task || learning) && guidelines && (
        <Guidelines
          text={session.me.guidelines}
          close={() => setGuidelines(false)}
          about={kind && KINDS[kind][0]}
        />
      )}
      <RefusedNotices outbox={session.outbox} />
      <ClashDialog session={session} />
      {help && <Help close={() => setHelp(false)} />}
    </div>
  );
}
