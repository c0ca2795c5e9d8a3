// People: how annotators judged beside each other, what they marked, and where they differ.

import { scaleLinear } from "d3-scale";

import type { CampaignPart, DisputedPlace, Ranking, SystemPlace } from "../../generated/report";
import { ConductCards } from "../../shared/conduct";
import { Overlaid, Swatch } from "../../shared/overlaid";
import { address, type Route } from "../../shared/router";
import { WhiskerLine } from "../../shared/whisker";
import { Growing } from "../../shared/window";
import type { Report } from "../data/report";
import { counted, number } from "../format";
import { Section, SystemName, TableExport } from "../pieces";

export function PeopleView(props: { report: Report; route: Route }) {
  const { campaign } = props.report.overview;
  if (!campaign) return <p class="nothing">This report is not of a campaign.</p>;
  const { report } = props;
  return (
    <>
      {campaign.rankings.length > 0 && (
        <Rankings
          report={report}
          title="With and without what annotators differ by"
          lead="The same ranking on scores as given, and without milder and stricter annotators."
          rankings={campaign.rankings}
        />
      )}
      {campaign.domains.length > 0 && (
        <Rankings
          report={report}
          title="By domain"
          lead="Each domain by itself, with intervals over its documents."
          rankings={campaign.domains}
        />
      )}
      {campaign.marks.length > 0 && <Marks report={report} campaign={campaign} />}
      {campaign.conduct.length > 1 && (
        <Section title="Annotators beside each other" lead={<Alphas campaign={campaign} />}>
          <ConductCards all={campaign.conduct} />
        </Section>
      )}
      {campaign.disputed > 0 && <Disputes report={report} campaign={campaign} />}
    </>
  );
}

function Alphas(props: { campaign: CampaignPart }) {
  const told = props.campaign.agreement.map(({ what, value, reason, units }) => {
    const question = what.split(" ").slice(1).join(" ");
    const alpha = value === null ? (reason ?? "unknown") : number(value, 2);
    return `${question} ${alpha} (${counted(units, "place")} judged by several)`;
  });
  return <>Krippendorff’s alpha, 1 is perfect and 0 is chance: {told.join("; ")}.</>;
}

// --- rankings ------------------------------------------------------------------------------------

const WIDTH = 110;

function Rankings(props: {
  report: Report;
  title: string;
  lead: string;
  rankings: readonly Ranking[];
}) {
  const { report, rankings } = props;
  const { order } = report.overview.verdict;
  const name = (system: number) => report.overview.systems[system]!;
  const table = () => ({
    headings: ["system", ...rankings.flatMap((each) => [each.name, "interval", "#"])],
    rows: order.map((system) => [
      name(system).name,
      ...rankings.flatMap((each) => {
        const place = placeIn(each, system);
        return place
          ? [number(place.score, each.digits), interval(place, each), String(place.cluster ?? "")]
          : ["–", "", ""];
      }),
    ]),
    best: new Set<string>(),
    notes: [props.title],
  });
  return (
    <Section
      title={props.title}
      lead={props.lead}
      tools={<TableExport name={props.title} table={table} />}
    >
      <div class="people-panels">
        {rankings.map((each) => (
          <figure key={each.name}>
            <figcaption>
              <strong>
                <bdi>{each.name}</bdi>
              </strong>{" "}
              <span class="soft">{counted(each.documents, "document")}</span>
            </figcaption>
            <table class="people-ranking">
              <tbody>
                {each.places.map((place) => (
                  <tr key={place.system}>
                    <td class="soft">{place.cluster ?? ""}</td>
                    <th scope="row">
                      <SystemName {...name(place.system)} />
                    </th>
                    <td>{number(place.score, each.digits)}</td>
                    <td title={interval(place, each)}>
                      <Dot ranking={each} place={place} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </figure>
        ))}
      </div>
    </Section>
  );
}

function placeIn(ranking: Ranking, system: number): SystemPlace | undefined {
  return ranking.places.find((place) => place.system === system);
}

function interval({ low, high }: SystemPlace, { digits }: Ranking): string {
  return low === null || high === null ? "" : `[${number(low, digits)}, ${number(high, digits)}]`;
}

function Dot(props: { ranking: Ranking; place: SystemPlace }) {
  const { low, high, score } = props.place;
  if (score === null) return null;
  const ends = props.ranking.places
    .flatMap((each) => [each.low, each.high, each.score])
    .filter((value): value is number => value !== null);
  const x = scaleLinear([Math.min(...ends), Math.max(...ends)], [4, WIDTH - 4]);
  const dot = x(score);
  return (
    <WhiskerLine
      width={WIDTH}
      low={low === null ? dot : x(low)}
      high={high === null ? dot : x(high)}
      dot={dot}
      people
    />
  );
}

// --- what was marked -----------------------------------------------------------------------------

const MOST_MARKS = 16;

function Marks(props: { report: Report; campaign: CampaignPart }) {
  const { report, campaign } = props;
  const { order } = report.overview.verdict;
  const systems = report.overview.systems;
  const most = Math.max(1, ...campaign.marks.flatMap((each) => each.rates));
  const title = campaign.chosen ? "Why they were preferred" : "What goes wrong";
  const lead = campaign.chosen
    ? "Reasons in a hundred choices for a system, systems best first."
    : "Marks in a hundred judged segments, systems best first.";
  const table = () => ({
    headings: ["marked", ...order.map((system) => systems[system]!.name)],
    rows: campaign.marks.map((each) => [
      each.what,
      ...order.map((system) => number(each.rates[system] ?? 0, 1)),
    ]),
    best: new Set<string>(),
    notes: [lead],
  });
  return (
    <Section title={title} lead={lead} tools={<TableExport name={title} table={table} />}>
      <div class="scrolls" tabIndex={0} role="region" aria-label={title}>
        <table class="people-marks">
          <thead>
            <tr>
              <th scope="col">{campaign.chosen ? "Reason" : "Marked"}</th>
              {order.map((system) => (
                <th key={system} scope="col">
                  <SystemName {...systems[system]!} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {campaign.marks.slice(0, MOST_MARKS).map((each) => (
              <tr key={each.what}>
                <th scope="row">
                  <bdi>{each.what}</bdi>
                </th>
                {order.map((system) => (
                  <td key={system} title={`${each.counts[system] ?? 0} times`}>
                    <span class="bar" style={{ inlineSize: `${barOf(each, system, most)}rem` }} />
                    {number(each.rates[system] ?? 0, 1)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {campaign.marks.length > MOST_MARKS && (
        <p class="soft">
          and {campaign.marks.length - MOST_MARKS} rarer ones, in the table to save
        </p>
      )}
    </Section>
  );
}

function barOf(mark: CampaignPart["marks"][number], system: number, most: number): number {
  return (4 * (mark.rates[system] ?? 0)) / most;
}

// --- where people differ -------------------------------------------------------------------------

function Disputes(props: { report: Report; campaign: CampaignPart }) {
  const { report, campaign } = props;
  const { disputes, disputed } = campaign;
  const lead =
    `${counted(disputed, "place")} on which annotators differ, those furthest apart first` +
    (disputes.length < disputed ? `; ${disputes.length} are shown.` : ".");
  return (
    <Section title="Where people differ" lead={lead}>
      <Growing count={disputes.length}>
        {(shown) =>
          disputes.slice(0, shown).map((each, i) => <Place key={i} report={report} of={each} />)
        }
      </Growing>
    </Section>
  );
}

function Place(props: { report: Report; of: DisputedPlace }) {
  const { report, of } = props;
  const { documents, systems, facts } = report.overview;
  const id = documents.ids[of.document]!;
  const name = (system: number | null) => (system === null ? "" : systems[system]!.name);
  const target = address("document", id, of.segment === null ? {} : { segment: of.segment + 1 });
  const marked = of.voices.some((voice) => voice.errors.length > 0);
  const text = (words: string | null, language: string | null, side: "source" | "output") =>
    words !== null && <Overlaid text={words} language={language} voices={of.voices} side={side} />;
  return (
    <article class="case">
      <div class="case-facts">
        <a href={target}>
          <bdi>{id}</bdi>
          {of.segment !== null && ` · ${of.segment + 1}`}
        </a>{" "}
        <bdi>{[name(of.system), name(of.against)].filter(Boolean).join(" against ")}</bdi>{" "}
        <bdi>{of.about}</bdi>
      </div>
      {text(of.source, facts.source_language, "source")}
      {text(of.output, facts.target_language, "output")}
      {text(of.other, facts.target_language, "output")}
      <ul class="people-said">
        {of.voices.map((voice, i) => (
          <li key={voice.name}>
            {marked && <Swatch of={i} />}
            <strong>
              <bdi>{voice.name}</bdi>
            </strong>{" "}
            <bdi>{voice.said}</bdi>
          </li>
        ))}
        {of.decided !== null && (
          <li>
            <strong>decided</strong> <bdi>{of.decided}</bdi>
          </li>
        )}
      </ul>
    </article>
  );
}
