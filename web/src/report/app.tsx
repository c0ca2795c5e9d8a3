// The frame around all views: masthead, navigation, and the view that the address names.

import { useEffect, useState } from "preact/hooks";

import type { CampaignPart } from "../generated/report";
import { address, type Route, useRoute } from "../shared/router";
import { TipHost, hideTip } from "../shared/tip";
import type { Report } from "./data/report";
import { counted, languageName } from "./format";
import { Help } from "./glossary";
import { AgreementView } from "./views/agreement";
import { DocumentView } from "./views/document";
import { DocumentsView } from "./views/documents";
import { ExplainView } from "./views/explain";
import { explains } from "./views/explain/setting";
import { OverviewView } from "./views/overview";
import { PeopleView } from "./views/people";
import { SegmentsView } from "./views/segments";

export function App(props: { report: Report; several?: boolean }) {
  const route = useRoute();
  const { facts } = props.report.overview;
  useEffect(() => {
    hideTip();
    const subject = route.subject ? `${route.subject} · ` : "";
    document.title = `${subject}${facts.testset} · isogloss report`;
    if (route.view === "document") scrollTo(0, 0);
  }, [route.view, route.subject]);
  return (
    <div class="page">
      <a class="skip" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <Masthead report={props.report} />
      <Navigation report={props.report} route={route} several={props.several ?? false} />
      <main id="content" tabIndex={-1}>
        <View report={props.report} route={route} />
      </main>
      <TipHost />
    </div>
  );
}

function skip(event: Event) {
  event.preventDefault(); // the address belongs to the views
  document.getElementById("content")?.focus();
}

function Masthead(props: { report: Report }) {
  const { facts, systems, documents } = props.report.overview;
  const references = facts.references.length ? facts.references.join(", ") : "no reference";
  return (
    <header class="masthead">
      <div>
        <h1>
          <bdi title={facts.testset}>{facts.testset}</bdi>
        </h1>
        <p class="facts">
          {languageName(facts.source_language)} → {languageName(facts.target_language)} ·{" "}
          {counted(systems.length, "system")} · {counted(documents.ids.length, "document")} ·{" "}
          {counted(props.report.segmentCount, "segment")} · reference: {references}
        </p>
        {props.report.overview.campaign && <Campaign of={props.report.overview.campaign} />}
      </div>
      <div class="switches">
        <Help />
        <LookSwitch />
      </div>
    </header>
  );
}

/** Whose word the ranking is, and where the campaign's other results are. */
function Campaign(props: { of: CampaignPart }) {
  const { kind, annotators, live, others } = props.of;
  return (
    <p class="facts">
      Ranked by {counted(annotators, "annotator")} ({kind})
      {live !== null && ` · as of ${live}, reload for the newest`}
      {others.length > 0 && " · also: "}
      {others.map(({ kind: other, address: at }, i) => (
        <>
          {i > 0 && ", "}
          {at === null ? other : <a href={at}>{other}</a>}
        </>
      ))}
    </p>
  );
}

type Look = "light dark" | "light" | "dark";
const NEXT: Record<Look, Look> = { "light dark": "light", light: "dark", dark: "light dark" };
const LOOKS: Record<Look, string> = { "light dark": "as the system", light: "light", dark: "dark" };

export function LookSwitch() {
  const [look, setLook] = useState<Look>("light dark");
  useEffect(() => {
    document.documentElement.style.colorScheme = look;
  }, [look]);
  return (
    <button type="button" class="look" onClick={() => setLook(NEXT[look])}>
      Look: {LOOKS[look]}
    </button>
  );
}

function Navigation(props: { report: Report; route: Route; several: boolean }) {
  const { overview } = props.report;
  const present = props.route.view === "document" ? "documents" : props.route.view || "overview";
  const views = [
    ["overview", "Overview"],
    ["documents", "Documents"],
    ["segments", "Segments"],
    ...(overview.campaign ? [["people", "People"]] : []),
    ...(explains(props.report) ? [["explain", "Why A beats B"]] : []),
    ...(overview.people ? [["agreement", "Agreement with people"]] : []),
  ] as const;
  return (
    <nav class="views" aria-label="Views">
      {props.several && <a href="#/">← all test sets</a>}
      {views.map(([view, name]) => (
        <a
          key={view}
          href={address(view as string)}
          {...(view === present ? { "aria-current": "page" as const } : {})}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}

function View(props: { report: Report; route: Route }) {
  switch (props.route.view) {
    case "documents":
      return <DocumentsView {...props} />;
    case "document":
      return <DocumentView {...props} />;
    case "segments":
      return <SegmentsView {...props} />;
    case "explain":
      return <ExplainView {...props} />;
    case "people":
      return <PeopleView {...props} />;
    case "agreement":
      return <AgreementView {...props} />;
    default:
      return <OverviewView {...props} />;
  }
}
