// The evidence as a list: for those who read rather than point, and for the keyboard.

import type { EvidenceLayer } from "../../../generated/report";
import type { Hovering } from "../../../shared/marked_text";
import { Growing } from "../../../shared/window";
import { Offsets } from "../../../shared/codepoints";
import type { Evidence, Place } from "../../data/evidence";
import type { DocumentTexts, Report } from "../../data/report";
import { listed, short } from "../../format";
import { GLOSSARY, Term } from "../../glossary";
import { detailOf, kindOf, type Tone } from "../../tones";

export function EvidenceList(props: {
  report: Report;
  layer: EvidenceLayer;
  texts: DocumentTexts;
  evidence: readonly Evidence[];
  explained: number;
  onGo: (segment: number) => void;
  hovering: Hovering;
  tones: ReadonlyMap<string, Tone>;
}) {
  const { report, layer, evidence } = props;
  return (
    <aside class="evidence" aria-label="Evidence">
      <h3>
        {layer.name} on <bdi>{report.overview.systems[props.explained]!.name}</bdi>
      </h3>
      <p class="soft">
        {CHAINS.test(layer.name) ? (
          <>
            Each <Term of="chain" />
          </>
        ) : (
          "Each"
        )}{" "}
        with its <Term of="weight" />, where it has one.
      </p>
      <ol>
        <Growing count={evidence.length} end="li">
          {(shown) =>
            evidence.slice(0, shown).map((each) => (
              <li key={each.id}>
                <Item {...props} each={each} />
              </li>
            ))
          }
        </Growing>
      </ol>
    </aside>
  );
}

function Item(props: {
  report: Report;
  layer: EvidenceLayer;
  texts: DocumentTexts;
  each: Evidence;
  onGo: (segment: number) => void;
  hovering: Hovering;
  tones: ReadonlyMap<string, Tone>;
}) {
  const { layer, each, hovering } = props;
  const reason = layer.reasons[each.reason]!;
  const enter = (event: Event) => hovering.onEnter(each.id, event.currentTarget as Element);
  const leave = (event: Event) => hovering.onLeave(event.currentTarget as Element);
  const first = each.places[0];
  const places = each.places.filter(({ start, end }) => start < end).length;
  return (
    <button
      type="button"
      class={hovering.active === each.id ? "active" : ""}
      onMouseEnter={enter}
      onFocus={enter}
      onMouseLeave={leave}
      onBlur={leave}
      onClick={() => first && props.onGo(first.segment)}
    >
      <span class={`key tone ${props.tones.get(kindOf(reason))}`} aria-hidden="true" />
      <span>
        <Words report={props.report} texts={props.texts} places={each.places} />
        <span class="reason">
          {kindOf(reason)}
          {detailOf(reason) && ` · ${detailOf(reason)}`}
          {!Number.isNaN(each.value) && ` · ${WEIGHT} ${short(each.value)}`}
          {places > 1 && ` · ${places} places`}
        </span>
      </span>
    </button>
  );
}

const CHAINS = /^(cohesion|ltcr|lc|rc)\b/;
const WEIGHT = GLOSSARY.weight[0];

/** Whose words they are, in the order in which they are listed. */
const WHOSE = ["source", "reference", "output"] as const;

/** The words that the evidence is about: "Route → line ×2, course", and what the reference has. */
function Words(props: { report: Report; texts: DocumentTexts; places: readonly Place[] }) {
  const { report, texts, places } = props;
  const whose = (side: number) => (side === 0 ? 0 : side <= report.references.length ? 1 : 2);
  const [source, reference, output] = WHOSE.map((_, kind) =>
    counted(
      texts,
      places.filter((place) => whose(place.side) === kind),
    ),
  ) as [string, string, string];
  return (
    <span class="words">
      {source && <bdi>{source}</bdi>}
      {source && output && " → "}
      {output && <bdi>{output}</bdi>}
      {reference && (
        <span class="soft">
          {output || source ? " · reference: " : "reference: "}
          <bdi>{reference}</bdi>
        </span>
      )}
    </span>
  );
}

const MOST = 6;

/** The different words, each with the number of its occurrences. */
function counted(texts: DocumentTexts, places: readonly Place[]): string {
  const found = new Map<string, number>();
  for (const { side, segment, start, end } of places) {
    const text = texts.texts[segment]?.[side];
    if (!text || start === end) continue;
    const offsets = new Offsets(text);
    const word = text.slice(offsets.unit(start), offsets.unit(end));
    found.set(word, (found.get(word) ?? 0) + 1);
  }
  return listed(
    [...found].map(([word, count]) => (count > 1 ? `${word} ×${count}` : word)),
    MOST,
  );
}
