// The report's data as the views use it: scores by place, texts and evidence when asked for.

import type {
  DocumentPart,
  ExplainedPair,
  ExplanationPart,
  EvidenceLayer,
  MetricView,
  ReportOverview,
  SystemPair,
  SegmentScores,
} from "../../generated/report";
import { unpackedScores, unpackedSigned } from "../../shared/packing";
import { type Evidence, evidenceOf, summed } from "./evidence";
import { readPart } from "./parts";

/** The texts of a document by side and segment, and the evidence of each layer. */
export interface DocumentTexts {
  readonly texts: readonly (readonly (string | null)[])[];
  /** What segments are called where they come from, such as the times of subtitles. */
  readonly labels: readonly string[] | null;
  readonly evidence: ReadonlyMap<number, readonly Evidence[]>;
  /** Of a side that was handed in as one text: where its segments begin in it. */
  readonly handedIn: ReadonlyMap<number, readonly number[]>;
}

/** A system against another, seen from the first. */
export interface Outcome {
  readonly difference: number | null;
  readonly interval: readonly [number, number] | null;
  readonly p: number | null;
  /** p among all pairs of the metric: what decides. */
  readonly corrected: number | null;
  readonly blocks: number;
  /** 1: significantly better, -1: significantly worse, 0: cannot be told apart. */
  readonly verdict: -1 | 0 | 1;
}

export class Report {
  /** The position of each document's first segment among all segments. */
  readonly firstSegment: readonly number[];
  readonly segmentCount: number;
  private readonly documentScores = new Map<number, Float64Array>();
  private readonly segmentParts = new Map<number, Promise<Float64Array>>();
  private readonly documentParts = new Map<number, Promise<DocumentTexts>>();
  private readonly explanationParts = new Map<number, Promise<ExplanationPart>>();
  private readonly pairs = new Map<number, Map<string, SystemPair>>();

  constructor(
    readonly overview: ReportOverview,
    /** What the names of its parts begin with, where there are several test sets. */
    private readonly prefix = "",
  ) {
    const firsts: number[] = [];
    let total = 0;
    for (const length of overview.documents.segments) {
      firsts.push(total);
      total += length;
    }
    this.firstSegment = firsts;
    this.segmentCount = total;
  }

  static async read(prefix = ""): Promise<Report> {
    return new Report(await readPart<ReportOverview>(`${prefix}overview`), prefix);
  }

  get metrics(): readonly MetricView[] {
    return this.overview.metrics;
  }

  get layers(): readonly EvidenceLayer[] {
    return this.overview.layers;
  }

  get references(): readonly string[] {
    return this.overview.facts.references;
  }

  /** The side of a document on which a system's output stands. */
  sideOf(system: number): number {
    return 1 + this.references.length + system;
  }

  /** The metric of that name; where there is none, the first one that scored every text. */
  metricNamed(name: string | null): number {
    const found = this.metrics.findIndex((metric) => metric.name === name);
    if (found >= 0) return found;
    if (this.overview.campaign && !this.overview.explained.length) return 0; // people rank
    return Math.max(
      0,
      this.metrics.findIndex((metric) => !metric.people),
    );
  }

  systemNamed(name: string): number {
    return this.overview.systems.findIndex((system) => system.name === name);
  }

  documentNamed(id: string | null): number {
    return this.overview.documents.ids.indexOf(id ?? "");
  }

  /** One document's score of one system; NaN where there is none. */
  documentScore(metric: number, system: number, document: number): number {
    let scores = this.documentScores.get(metric);
    if (!scores) {
      const view = this.metrics[metric] as MetricView;
      scores = unpackedScores(view.documents, view.digits);
      this.documentScores.set(metric, scores);
    }
    return scores[system * this.overview.documents.ids.length + document] ?? NaN;
  }

  /** The scores of all segments, system by system; empty where the metric has none. */
  segmentScores(metric: number): Promise<Float64Array> {
    const digits = (this.metrics[metric] as MetricView).segment_digits;
    if (digits === null) return Promise.resolve(new Float64Array());
    return remembered(this.segmentParts, metric, async () => {
      const part = await readPart<SegmentScores>(`${this.prefix}segments-${metric}`);
      return unpackedScores(part.scores, digits);
    });
  }

  /** Texts and evidence of one document. */
  document(number: number): Promise<DocumentTexts> {
    return remembered(this.documentParts, number, async () => {
      const part = await readPart<DocumentPart>(`${this.prefix}document-${number}`);
      const evidence = part.layers.map(
        (layer) =>
          [layer.layer, evidenceOf(layer, this.layers[layer.layer] as EvidenceLayer)] as const,
      );
      const { texts, labels } = part;
      return { texts, labels, evidence: new Map(evidence), handedIn: this.handedIn(part) };
    });
  }

  /** The pair of these two systems, in either order, if its difference was taken apart. */
  explained(one: number, other: number): { number: number; pair: ExplainedPair } | null {
    const wanted = [one, other].sort().join();
    const number = this.overview.explained.findIndex(
      ({ first, second }) => [first, second].sort().join() === wanted,
    );
    const pair = this.overview.explained[number];
    return pair ? { number, pair } : null;
  }

  /** Why the systems of such a pair differ. */
  explanation(number: number): Promise<ExplanationPart> {
    return remembered(this.explanationParts, number, () =>
      readPart<ExplanationPart>(`${this.prefix}explanation-${number}`),
    );
  }

  private handedIn(part: DocumentPart): Map<number, number[]> {
    const found = new Map<number, number[]>();
    part.handed_in.forEach((steps, system) => {
      if (steps !== null) found.set(this.sideOf(system), summed(unpackedSigned(steps)));
    });
    return found;
  }

  /** How a system did against another under a metric; null where they were not compared. */
  outcome(metric: number, system: number, other: number): Outcome | null {
    const pair = this.pairOf(metric, system, other);
    if (!pair) return null;
    const sign = pair.first === system ? 1 : -1;
    const difference = pair.difference === null ? null : sign * pair.difference;
    const view = this.metrics[metric] as MetricView;
    const significant = pair.corrected !== null && pair.corrected <= this.overview.facts.alpha;
    const better = view.higher_is_better ? (difference ?? 0) > 0 : (difference ?? 0) < 0;
    const verdict = !significant || !difference ? 0 : better ? 1 : -1;
    const { p, corrected, blocks, low, high } = pair;
    const ends = low === null || high === null ? null : sign === 1 ? [low, high] : [-high, -low];
    return { difference, interval: ends as Outcome["interval"], p, corrected, blocks, verdict };
  }

  private pairOf(metric: number, one: number, other: number): SystemPair | undefined {
    let pairs = this.pairs.get(metric);
    if (!pairs) {
      const listed = (this.metrics[metric] as MetricView).pairs;
      pairs = new Map(listed.map((pair) => [`${pair.first} ${pair.second}`, pair]));
      this.pairs.set(metric, pairs);
    }
    return pairs.get(`${one} ${other}`) ?? pairs.get(`${other} ${one}`);
  }
}

/** Systems, best first under a metric; those that it does not have come last. */
export function rankedSystems(report: Report, metric: number): number[] {
  const ranked = report.metrics[metric]!.places.map((place) => place.system);
  const others = report.overview.systems.map((_, i) => i).filter((i) => !ranked.includes(i));
  return [...ranked, ...others];
}

function remembered<T>(
  known: Map<number, Promise<T>>,
  key: number,
  make: () => Promise<T>,
): Promise<T> {
  let value = known.get(key);
  if (!value) {
    value = make();
    known.set(key, value);
  }
  return value;
}
