// One document: source, reference and systems side by side, with the words behind the scores.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { useLoaded } from "../../shared/loading";
import { Links } from "../../shared/links";
import type { Hovering } from "../../shared/marked_text";
import { address, change, type Route } from "../../shared/router";
import {
  differenceMarks,
  heatMarks,
  type IsShown,
  linkMarks,
  Marks,
  toneMarks,
} from "../data/marks";
import type { DocumentTexts, Report } from "../data/report";
import { SystemName } from "../pieces";
import { tones } from "../tones";
import { EvidenceList } from "./document/evidence_list";
import { LayerLegend } from "./document/legend";
import { SegmentTable } from "./document/segment_table";
import { type DocumentSetting, documentSetting } from "./document/setting";
import { DocumentTools } from "./document/tools";

export function DocumentView(props: { report: Report; route: Route }) {
  const { report, route } = props;
  const number = report.documentNamed(route.subject);
  if (number < 0) return <p class="nothing">This report has no document “{route.subject}”.</p>;
  const setting = documentSetting(report, route, number);
  const loaded = useLoaded(() => report.document(number), [number]);
  return (
    <>
      <DocumentHeading report={report} route={route} number={number} />
      <DocumentTools report={report} route={route} setting={setting} />
      {loaded ? (
        <Texts key={number} {...{ report, route, setting, number }} texts={loaded} />
      ) : (
        <p class="nothing">Reading …</p>
      )}
    </>
  );
}

function DocumentHeading(props: { report: Report; route: Route; number: number }) {
  const { documents } = props.report.overview;
  const of = documents.domain[props.number];
  const settings = Object.fromEntries(props.route.settings);
  delete settings["segment"];
  const to = (number: number) => address("document", documents.ids[number] as string, settings);
  return (
    <div class="document-heading">
      <div>
        <h2>
          <bdi>{documents.ids[props.number]}</bdi>
        </h2>
        <p class="soft">
          {of !== null && of !== undefined && `${documents.domains[of]} · `}
          document {props.number + 1} of {documents.ids.length} · {documents.segments[props.number]}{" "}
          segments
        </p>
      </div>
      <nav aria-label="Neighbouring documents">
        {props.number > 0 && <a href={to(props.number - 1)}>← previous</a>}
        {props.number + 1 < documents.ids.length && <a href={to(props.number + 1)}>next →</a>}
      </nav>
    </div>
  );
}

function Texts(props: {
  report: Report;
  route: Route;
  setting: DocumentSetting;
  number: number;
  texts: DocumentTexts;
}) {
  const { report, route, setting, texts } = props;
  const area = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<number | null>(null);
  const layer = setting.layer === null ? null : report.layers[setting.layer]!;
  const toneOf = useMemo(() => tones(layer?.reasons ?? []), [layer]);
  const evidence = (setting.layer !== null && texts.evidence.get(setting.layer)) || [];
  const key = `${setting.layer} ${setting.difference} ${setting.systems.join()} ${setting.explained}`;
  const marks = useMemo(() => {
    if (setting.difference && setting.systems.length > 1) {
      const [one, other] = setting.systems as [number, number];
      return differenceMarks(texts, report.sideOf(one), report.sideOf(other));
    }
    if (!layer) return new Marks();
    // On source and reference only one system can be explained at a time.
    const isShown: IsShown = (each, side) =>
      side === report.sideOf(each.system) || each.system === setting.explained;
    switch (layer.kind) {
      case "heat":
        return heatMarks(evidence, layer, texts, isShown);
      case "links":
        return linkMarks(evidence, setting.systems);
      case "marks":
        return toneMarks(evidence, layer, toneOf, texts, isShown);
    }
  }, [key, texts]);
  useEffect(() => scrollToSegment(setting.segment), [setting.segment]);
  const hovering: Hovering = {
    active,
    onEnter: (group) => setActive(group),
    onLeave: () => setActive(null),
  };
  const listed = evidence.filter((each) => each.system === setting.explained);
  return (
    <div class={`reading ${layer?.kind === "marks" && listed.length ? "with-list" : ""}`}>
      <div class="texts" ref={area}>
        <CutNote {...{ report, setting, texts }} />
        {(layer || setting.difference) && (
          <LayerLegend {...{ report, setting, layer, evidence }} tones={toneOf} />
        )}
        <SegmentTable
          {...{ report, setting, texts, marks, hovering }}
          document={props.number}
          hrefOf={(segment) =>
            address("document", route.subject, {
              ...Object.fromEntries(route.settings),
              segment: segment + 1,
            })
          }
          onExplain={(system) => change(route, { explain: report.overview.systems[system]!.name })}
        />
        <Links container={area} group={active} />
      </div>
      {layer?.kind === "marks" && listed.length > 0 && (
        <EvidenceList
          {...{ report, layer, texts, hovering }}
          evidence={listed}
          tones={toneOf}
          explained={setting.explained}
          onGo={(segment) => change(route, { segment: segment + 1 })}
        />
      )}
    </div>
  );
}

/** Which of the systems shown did not hand in the segments that stand here, and who cut them. */
function CutNote(props: { report: Report; setting: DocumentSetting; texts: DocumentTexts }) {
  const { report, setting, texts } = props;
  const { systems } = report.overview;
  const cut = setting.systems.filter(
    (system) => systems[system]!.cut_by !== null && texts.handedIn.has(report.sideOf(system)),
  );
  if (cut.length === 0) return null;
  const cutters = new Set(cut.map((system) => systems[system]!.cut_by));
  return (
    <p class="cut-note">
      Handed in whole or in other segments, and cut to fit the source by {[...cutters].join(", ")}:{" "}
      {cut.map((system, i) => (
        <>
          {i > 0 && ", "}
          <SystemName {...systems[system]!} />
        </>
      ))}
      . Point at a mark to see its place in the text as handed in.
    </p>
  );
}

function scrollToSegment(segment: number | null): void {
  if (segment === null) return;
  document.getElementById(`segment-${segment}`)?.scrollIntoView({ block: "center" });
}
