// The frame around all views, and the view that the address names.

import { useEffect, useState } from "preact/hooks";

import { useRoute } from "../shared/router";
import { getMe } from "./api";
import { ClashDialog } from "./frame/clash";
import { Ended } from "./frame/ended";
import { Guidelines } from "./frame/guidelines";
import { Help } from "./frame/help";
import { Home } from "./frame/home";
import { RefusedNotices } from "./frame/refused";
import { useShortcuts } from "./input/shortcuts";
import { OrganiserPage } from "./organiser/page";
import type { Session } from "./session";
import { TaskPage } from "./task/page";

const SOON = 150;

/** Counts change and new work comes: they are asked for again with every view, and after a no. */
function useFresh(session: Session, view: string | null): Session {
  const [me, setMe] = useState(session.me);
  const [refused, setRefused] = useState(0);
  useEffect(
    () => session.outbox.watch(() => setRefused(session.outbox.refused.length)),
    [session.outbox],
  );
  useEffect(() => {
    const timer = setTimeout(() => void getMe().then(setMe, () => undefined), SOON);
    return () => clearTimeout(timer);
  }, [view, refused]);
  return { ...session, me };
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
    toggleGuidelines: () => setGuidelines(!guidelines),
    openHelp: () => setHelp(true),
  };
  const task = route.view === "task" ? route.subject : null;
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
    <div class={guidelines && task ? "page beside" : "page"}>
      {session.me.role !== "annotator" ? (
        <OrganiserPage session={session} panels={panels} />
      ) : session.me.standing !== "open" ? (
        <Ended session={session} />
      ) : task ? (
        <TaskPage key={task} id={task} session={session} panels={panels} />
      ) : (
        <Home session={session} panels={panels} />
      )}
      {task && guidelines && (
        <Guidelines text={session.me.guidelines} close={() => setGuidelines(false)} />
      )}
      <RefusedNotices outbox={session.outbox} />
      <ClashDialog session={session} />
      {help && <Help close={() => setHelp(false)} />}
    </div>
  );
}
