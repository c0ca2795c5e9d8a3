// The organiser's pages: how the campaign goes, which markables go on, who is right.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { Me } from "../../generated/annotate";
import { LookSwitch } from "../../shared/look";
import { address, useRoute } from "../../shared/router";
import { asked } from "../api";
import type { Panels } from "../app";
import { Loading, Trouble } from "../frame/trouble";
import type { Session } from "../session";
import { CurationView } from "./curation";
import { DisagreementsView } from "./disagreements";
import { OverviewView } from "./overview";
import { PeoplePage } from "./people";

const VIEWS = [
  ["overview", "Overview"],
  ["curation", "Markables"],
  ["disagreements", "Disagreements"],
  ["people", "People"],
] as const;
type View = (typeof VIEWS)[number][0];

/** The server refuses everything else as well. */
const ALLOWED: Partial<Record<Me["role"], readonly View[]>> = {
  curator: ["overview", "curation", "disagreements"],
  observer: ["overview"],
};

export function OrganiserPage(props: { session: Session; panels: Panels }) {
  const route = useRoute();
  const curated = props.session.me.phases.some((phase) => phase === "phase1" || phase === "phase2");
  const allowed = ALLOWED[props.session.me.role];
  const views = VIEWS.filter(
    ([view]) => (view !== "curation" || curated) && (allowed?.includes(view) ?? true),
  );
  const present = views.find(([view]) => view === route.view)?.[0] ?? "overview";
  return (
    <div class="organiser">
      <header class="bar">
        <h1>
          <bdi>{props.session.me.campaign}</bdi>
        </h1>
        <nav class="views" aria-label="Views">
          {views.map(([view, name]) => (
            <a
              key={view}
              href={address(view)}
              {...(view === present ? { "aria-current": "page" as const } : {})}
            >
              {name}
            </a>
          ))}
        </nav>
        <span class="space" />
        <button type="button" class="plain keys" onClick={props.panels.openHelp}>
          Keys <kbd>?</kbd>
        </button>
        <LookSwitch />
      </header>
      {present === "curation" ? (
        <CurationView />
      ) : present === "disagreements" ? (
        <DisagreementsView />
      ) : present === "people" ? (
        <PeoplePage />
      ) : (
        <OverviewView me={props.session.me} />
      )}
    </div>
  );
}

type Loaded<T> = { readonly value: T } | { readonly error: unknown } | null;

/** Something from the server, shown once it is there. */
export function Fetched<T>(props: {
  path: string;
  /** Milliseconds after which it is asked for again, as long as the page is in sight. */
  every?: number;
  children: (value: T, live: boolean) => ComponentChildren;
}) {
  const [loaded, setLoaded] = useState<Loaded<T>>(null);
  const [live, setLive] = useState(true);
  const load = () =>
    void asked<T>(props.path).then(
      (value) => {
        setLoaded({ value });
        setLive(true);
      },
      (error: unknown) => {
        setLoaded((before) => (before && "value" in before ? before : { error }));
        setLive(false);
      },
    );
  useEffect(load, []);
  useEffect(() => {
    const { every } = props;
    if (every === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") load();
    }, every);
    return () => clearInterval(timer);
  }, []);
  if (!loaded) return <Loading />;
  if ("error" in loaded) return <Trouble error={loaded.error} again={load} />;
  return <>{props.children(loaded.value, live)}</>;
}
