// How the campaign goes: who has done what, how far people agree, what the systems look like.

import type { ComponentChildren } from "preact";

import type { AnnotatorProgress, Me, Overview, SystemFigure } from "../../generated/annotate";
import { ConductCards } from "../../shared/conduct";
import { address } from "../../shared/router";
import { reach } from "../api";
import { Bar } from "../frame/home";
import { Fetched } from "./page";
import { SplitBars } from "./split_bars";
import { Tutorials } from "./tutorials";

const KINDS: Record<string, string> = {
  phase1: "Lines, mean adequacy",
  da: "Scores, mean",
  spans: "Errors, mean score",
  contrastive: "Errors side by side, mean score",
  document: "Whole documents, mean score",
  preference: "Better translations, percent won",
};
const ABOUT: Record<string, string> = {
  "answers.jsonl": "the answers that stand, with decisions",
  "events.jsonl": "everything that ever happened",
  "decisions.jsonl": "what was decided where annotators disagreed, beside what they said",
  "study.jsonl": "phases 1 and 2, for isogloss markables analyse",
  "scores.tsv": "scores of segments and documents",
  "preferences.tsv": "which of two translations is better, and why",
  "esa.jsonl": "error spans with scores",
  "mtme.zip": "texts and mean scores in the layout of mt-metrics-eval",
  "mqm.tsv": "errors as MQM ratings",
  "consistency.jsonl": "repeated words as agreed or decided, for isogloss chains stats and release",
};

function about(name: string) {
  if (name.endsWith(".csv")) return "the same, for a spreadsheet";
  return ABOUT[name] ?? "one annotator’s answers, for isogloss chains agree";
}

/** What judgements of a phase are called where they rank systems. */
const JUDGED: Record<string, string> = {
  phase1: "fluency-adequacy",
  phase2: "markable-errors",
  da: "da",
  spans: "esa",
  contrastive: "cesa",
  document: "document",
  preference: "preference",
};

function Ranked(props: { kind: string }) {
  const kind = JUDGED[props.kind];
  if (!kind) return null;
  return (
    <p>
      <a href={reach(`/results?kind=${kind}`)} target="_blank">
        Ranking with intervals, tests and plots
      </a>
    </p>
  );
}

const SOON = 10_000;

export function OverviewView(props: { me: Me }) {
  const { me } = props;
  return (
    <Fetched<Overview> path="/api/overview" every={SOON}>
      {(overview, live) => (
        <main class="overview">
          {!live && (
            <p class="warning" role="status">
              The campaign cannot be reached: these are the last figures from it.
            </p>
          )}
          <Block title="Progress">
            <Annotators all={overview.annotators} />
          </Block>
          {me.role === "organiser" && <Tutorials />}
          {overview.conduct.some((each) => each.shared > 0) && (
            <Block title="Annotators beside each other">
              <ConductCards all={overview.conduct} />
            </Block>
          )}
          <Block title="Results so far">
            <Systems figures={overview.systems} ranked={!me.nameless} />
          </Block>
          {overview.phenomena.length > 0 && (
            <Block
              title="Phenomena"
              lead="How often each was marked (upper bar) and how severe it was then (lower bar)."
            >
              <SplitBars figures={overview.phenomena} />
              {!me.nameless && <Ranked kind="phase2" />}
            </Block>
          )}
          <Block
            title="Agreement"
            lead="Krippendorff’s alpha over what several annotators judged: 1 is perfect, 0 is chance."
          >
            <Agreement overview={overview} />
          </Block>
          {overview.exports.length > 0 && (
            <Block title="Downloads">
              <ul class="downloads">
                {overview.exports.map((name) => (
                  <li key={name}>
                    <a href={reach(`/api/export/${encodeURIComponent(name)}`)} download={name}>
                      {name}
                    </a>{" "}
                    <span class="soft">{about(name)}</span>
                  </li>
                ))}
              </ul>
            </Block>
          )}
        </main>
      )}
    </Fetched>
  );
}

function Block(props: { title: string; lead?: string; children: ComponentChildren }) {
  return (
    <section class="block">
      <h2>{props.title}</h2>
      {props.lead && <p class="soft">{props.lead}</p>}
      {props.children}
    </section>
  );
}

function Annotators(props: { all: readonly AnnotatorProgress[] }) {
  const checked = props.all.some(
    (each) => each.repeat_difference !== null || each.degraded_seen !== null,
  );
  return (
    <table class="figures">
      <thead>
        <tr>
          <th scope="col">Annotator</th>
          <th scope="col">Done</th>
          <th scope="col">Time per item</th>
          <th scope="col">Left to do</th>
          {checked && <th scope="col">Repeated items differ by</th>}
          {checked && <th scope="col">Spoilt items seen</th>}
        </tr>
      </thead>
      <tbody>
        {props.all.map((each) => (
          <tr key={each.name}>
            <th scope="row">
              <bdi>{each.name}</bdi>
            </th>
            <td class="done">
              <Bar done={each.done} total={each.total} label={each.name} /> {each.done}/{each.total}
            </td>
            <td>{each.seconds_per_item === null ? "–" : duration(each.seconds_per_item)}</td>
            <td>{each.hours_left === null ? "–" : hours(each.hours_left)}</td>
            {checked && <td>{number(each.repeat_difference, 1)}</td>}
            {checked && <td>{percent(each.degraded_seen)}</td>}
          </tr>
        ))}
      </tbody>
      {props.all.length > 1 && <Together all={props.all} />}
    </table>
  );
}

/** The campaign as a whole; hours are those that people will need, one after the other. */
function Together(props: { all: readonly AnnotatorProgress[] }) {
  const { all } = props;
  const done = sum(all.map((each) => each.done));
  const total = sum(all.map((each) => each.total));
  const begun = all.filter((each) => each.hours_left !== null);
  const unknown = all.length - begun.length;
  return (
    <tfoot>
      <tr>
        <th scope="row">Together</th>
        <td class="done">
          <Bar done={done} total={total} label="Together" /> {done}/{total}
        </td>
        <td />
        <td>
          {begun.length === 0 ? "–" : hours(sum(begun.map((each) => each.hours_left ?? 0)))}
          {begun.length > 0 && unknown > 0 && (
            <span class="soft"> without {unknown} who did not begin</span>
          )}
        </td>
      </tr>
    </tfoot>
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

function Agreement(props: { overview: Overview }) {
  const { agreement, disagreements } = props.overview;
  if (agreement.length === 0) return <p class="soft">Nobody has answered anything yet.</p>;
  return (
    <>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Question</th>
            <th scope="col">Alpha</th>
            <th scope="col">Judged by several</th>
          </tr>
        </thead>
        <tbody>
          {agreement.map((each) => (
            <tr key={each.what}>
              <th scope="row">{question(each.what)}</th>
              <td>{each.value === null ? <Reason text={each.reason} /> : number(each.value, 2)}</td>
              <td>{each.units.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {disagreements > 0 && (
        <p>
          <a href={address("disagreements")}>
            {disagreements.toLocaleString()} disagreements to decide
          </a>
        </p>
      )}
    </>
  );
}

const PARTS: Record<string, string> = {
  phase1: "Lines",
  phase2: "Markables",
  da: "Scores",
  spans: "Errors",
  contrastive: "Errors side by side",
  consistency: "Repeated words",
  document: "Whole documents",
  preference: "Better translations",
};

/** "phase1 adequacy" for people. */
function question(what: string): string {
  const [kind = "", ...rest] = what.split(" ");
  return `${PARTS[kind] ?? kind}: ${rest.join(" ")}`;
}

function Reason(props: { text: string | null }) {
  return <span class="soft">{props.text ?? "–"}</span>;
}

function Systems(props: { figures: readonly SystemFigure[]; ranked: boolean }) {
  const kinds = [...new Set(props.figures.map((figure) => figure.kind))];
  if (kinds.length === 0) return <p class="soft">No translation has a score yet.</p>;
  return (
    <div class="side-by-side">
      {kinds.map((kind) => {
        const figures = props.figures.filter((figure) => figure.kind === kind);
        const most = kind === "phase1" ? 1 : 100;
        return (
          <div key={kind}>
            <table class="figures">
              <caption>{KINDS[kind] ?? kind}</caption>
              <tbody>
                {figures.map((figure) => (
                  <tr key={figure.system}>
                    <th scope="row">
                      <bdi>{figure.system}</bdi>
                      {figure.human && <span class="soft"> human</span>}
                    </th>
                    <td class="amount">
                      <span style={{ inlineSize: `${(figure.mean / most) * 100}%` }} />
                    </td>
                    <td>{number(figure.mean, most === 1 ? 2 : 1)}</td>
                    <td class="soft">{figure.judged.toLocaleString()} judged</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {props.ranked && <Ranked kind={kind} />}
          </div>
        );
      })}
    </div>
  );
}

function number(value: number | null, digits: number): string {
  return value === null ? "–" : value.toFixed(digits).replace("-", "−");
}

function percent(value: number | null): string {
  return value === null ? "–" : `${Math.round(value * 100)} %`;
}

function hours(count: number): string {
  return count < 1 ? `${Math.ceil(count * 60)} min` : `${count.toFixed(1)} h`;
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;
}
