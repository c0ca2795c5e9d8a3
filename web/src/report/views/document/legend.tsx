// What the highlights mean, and how often each of them occurs.

import type { EvidenceLayer } from "../../../generated/report";
import type { Evidence } from "../../data/evidence";
import type { Report } from "../../data/report";
import { Key, Legend } from "../../pieces";
import { kindOf, type Tone } from "../../tones";
import type { DocumentSetting } from "./setting";

export function LayerLegend(props: {
  report: Report;
  setting: DocumentSetting;
  layer: EvidenceLayer | null;
  evidence: readonly Evidence[];
  tones: ReadonlyMap<string, Tone>;
}) {
  const { report, setting, layer } = props;
  if (!layer) return <DifferenceLegend {...props} />;
  if (layer.kind === "heat") {
    return (
      <Legend>
        <span>{layer.reasons[0]}:</span>
        <Key class="heat h1">expected</Key>
        <Key class="heat h4">unlikely</Key>
        <Key class="heat h7">a surprise</Key>
      </Legend>
    );
  }
  if (layer.kind === "links") {
    return (
      <Legend>Point at a word of the source or of a translation to see its counterpart.</Legend>
    );
  }
  const shown = props.evidence.filter((each) => setting.systems.includes(each.system));
  const counts = new Map<string, number>();
  for (const each of shown) {
    const kind = kindOf(layer.reasons[each.reason]!);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  if (counts.size === 0) {
    return <Legend>{`${layer.name} found nothing to show in these translations.`}</Legend>;
  }
  const explained = report.overview.systems[setting.explained]!.name;
  return (
    <Legend>
      {[...counts].map(([kind, count]) => (
        <Key key={kind} class={`tone ${props.tones.get(kind)}`}>
          {kind} ({count})
        </Key>
      ))}
      {setting.systems.length > 1 && <span>Source and reference explain {explained}.</span>}
    </Legend>
  );
}

function DifferenceLegend(props: { report: Report; setting: DocumentSetting }) {
  const { report, setting } = props;
  const [one, other] = setting.systems.map((i) => report.overview.systems[i]!.name);
  if (other === undefined) return <Legend>Choose a second system to compare with.</Legend>;
  return (
    <Legend>
      <Key class="differs first">only in {one}</Key>
      <Key class="differs second">only in {other}</Key>
    </Legend>
  );
}
