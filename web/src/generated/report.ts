// Made by web/generate_types.py from isogloss/report/data.py: do not edit.

/** Whole numbers as text; see shared/packing.ts. */
export type Packed = string & { readonly packed: unique symbol };

/** The test set, and how the numbers were made. */
export interface Facts {
  readonly testset: string;
  readonly source_language: string | null;
  readonly target_language: string | null;
  readonly references: readonly string[];
  readonly digest: string;
  readonly created: string;
  readonly isogloss: string;
  readonly comparing: string;
  readonly blocks: string;
  readonly confidence: number;
  readonly alpha: number;
  readonly corrected: boolean;
}

/** A system; `human` flags a reference that was scored as one. */
export interface System {
  readonly name: string;
  readonly human: boolean;
  readonly cut_by: string | null;
}

/** The documents, a column a property: domain by position, segments, source characters. */
export interface Documents {
  readonly ids: readonly string[];
  readonly domains: readonly string[];
  readonly domain: readonly (number | null)[];
  readonly segments: readonly number[];
  readonly characters: readonly number[];
}

/** Where one system stands under one metric. */
export interface SystemPlace {
  readonly system: number;
  readonly score: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly cluster: number | null;
  readonly scored: number;
  readonly total: number;
}

/** One system against another: first minus second, and how likely that is chance. */
export interface SystemPair {
  readonly first: number;
  readonly second: number;
  readonly difference: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly p: number | null;
  readonly corrected: number | null;
  readonly blocks: number;
}

/** One metric, or the judgements of people: systems best first, pairs, documents. */
export interface MetricView {
  readonly name: string;
  readonly signature: string;
  readonly higher_is_better: boolean;
  readonly people: boolean;
  readonly digits: number;
  readonly places: readonly SystemPlace[];
  readonly pairs: readonly SystemPair[];
  readonly documents: Packed;
  readonly segment_digits: number | null;
}

/** One kind of highlight: the evidence of a metric, or the errors that people marked. */
export interface EvidenceLayer {
  readonly name: string;
  readonly kind: "heat" | "marks" | "links";
  readonly people: boolean;
  readonly reasons: readonly string[];
  readonly digits: number;
}

/** How far metrics agree with each other at one level: a square of correlations. */
export interface MetricAgreement {
  readonly level: "system" | "document" | "segment";
  readonly values: readonly (readonly (number | null)[])[];
}

/** One metric's agreement with people under one statistic. */
export interface AgreementFinding {
  readonly metric: string;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly rank: number | null;
}

/** Is the first metric closer to people than the second? */
export interface AgreementTest {
  readonly first: string;
  readonly second: string;
  readonly p: number | null;
}

/** One statistic of agreement with people, for all metrics. */
export interface StatisticColumn {
  readonly statistic: string;
  readonly level: string;
  readonly baseline: number | null;
  readonly findings: readonly AgreementFinding[];
  readonly tests: readonly AgreementTest[];
}

/** What people say of pairs of outputs whose metric scores differ by `low` to `high`. */
export interface PreferenceBin {
  readonly low: number;
  readonly high: number;
  readonly pairs: number;
  readonly same: number;
  readonly tied: number;
  readonly opposite: number;
}

/** The worth of a difference: bins from the smallest differences to the largest. */
export interface MetricPreferences {
  readonly metric: string;
  readonly level: string;
  readonly bins: readonly PreferenceBin[];
}

/** What people said, and how well metrics agree with it. */
export interface People {
  readonly kind: string;
  readonly annotators: number;
  readonly task: string;
  readonly settings: string;
  readonly averages: readonly AgreementFinding[];
  readonly columns: readonly StatisticColumn[];
  readonly preferences: readonly MetricPreferences[];
}

/** Who comes first, in words, and all systems, best first over all metrics. */
export interface ReportVerdict {
  readonly headline: string | null;
  readonly clauses: readonly string[];
  readonly order: readonly number[];
  readonly first: readonly number[];
}

/** Two systems whose difference was taken apart, the better first; under which metrics. */
export interface ExplainedPair {
  readonly first: number;
  readonly second: number;
  readonly metrics: readonly number[];
}

/** Systems in one way of looking at what people said: corrected, or a domain by itself. */
export interface Ranking {
  readonly name: string;
  readonly documents: number;
  readonly digits: number;
  readonly places: readonly SystemPlace[];
}

/** How often something was marked (or a reason given), by system: counts, and in a hundred. */
export interface MarkedRate {
  readonly what: string;
  readonly counts: readonly number[];
  readonly rates: readonly number[];
}

/** A figure of an annotator with its interval. */
export interface PersonFigure {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** How an annotator judges beside the others. */
export interface PersonConduct {
  readonly annotator: string;
  readonly kind: string;
  readonly documents: number;
  readonly shared: number;
  readonly mildness: PersonFigure | null;
  readonly spread: PersonFigure | null;
  readonly agreement: PersonFigure | null;
  readonly drift: PersonFigure | null;
  readonly beside_others: boolean;
  readonly spoilt: number;
  readonly spoilt_seen: number;
  readonly stands_out: boolean;
  readonly words: readonly string[];
}

/** Krippendorff's alpha of a question, or why there is none. */
export interface PersonAgreement {
  readonly what: string;
  readonly value: number | null;
  readonly reason: string | null;
  readonly units: number;
}

/** An error that somebody marked, in the output or (`side`) in the source. */
export interface PersonMark {
  readonly start: number;
  readonly end: number;
  readonly severity: string;
  readonly category: string | null;
  readonly missing: boolean;
  readonly side: string | null;
}

/** What somebody said at a place, in words and as marks. */
export interface PersonSaid {
  readonly name: string;
  readonly said: string;
  readonly errors: readonly PersonMark[];
}

/** A place at which annotators differ, by positions; `apart` is how far, from 0 to 1. */
export interface DisputedPlace {
  readonly document: number;
  readonly segment: number | null;
  readonly system: number | null;
  readonly against: number | null;
  readonly about: string;
  readonly source: string;
  readonly output: string | null;
  readonly other: string | null;
  readonly apart: number;
  readonly decided: string | null;
  readonly voices: readonly PersonSaid[];
}

/** Another kind of judgements of the campaign, and where its results are, if anywhere. */
export interface OtherKind {
  readonly kind: string;
  readonly address: string | null;
}

/** What stands behind the ranking of a campaign. */
export interface CampaignPart {
  readonly kind: string;
  readonly annotators: number;
  readonly chosen: boolean;
  readonly notes: readonly string[];
  readonly rankings: readonly Ranking[];
  readonly domains: readonly Ranking[];
  readonly marks: readonly MarkedRate[];
  readonly conduct: readonly PersonConduct[];
  readonly agreement: readonly PersonAgreement[];
  readonly disputed: number;
  readonly disputes: readonly DisputedPlace[];
  readonly others: readonly OtherKind[];
  readonly live: string | null;
}

/** All that the page needs before someone asks for texts or single segments. */
export interface ReportOverview {
  readonly version: number;
  readonly facts: Facts;
  readonly verdict: ReportVerdict;
  readonly warnings: readonly string[];
  readonly systems: readonly System[];
  readonly documents: Documents;
  readonly metrics: readonly MetricView[];
  readonly layers: readonly EvidenceLayer[];
  readonly agreement: readonly MetricAgreement[];
  readonly people: People | null;
  readonly campaign: CampaignPart | null;
  readonly explained: readonly ExplainedPair[];
  readonly unexplained: string | null;
}

/** A piece of the paragraph that says why, and the tables that its evidence is in. */
export interface ExplainedClause {
  readonly text: string;
  readonly tables: readonly string[];
}

/** The number that a row is about, with its interval; `holds` if it is not chance. */
export interface ExplainedRow {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly holds: boolean;
}

/** One of the tables behind the paragraph, as it is read; A and B are the systems. */
export interface ExplainedTable {
  readonly name: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
  readonly numeric: readonly number[];
  readonly measured: readonly (ExplainedRow | null)[];
}

/** A segment to read, by the positions of document and segment, and what is said of it. */
export interface ExplainedPassage {
  readonly document: number;
  readonly segment: number;
  readonly facts: readonly string[];
  readonly first: Packed;
  readonly second: Packed;
}

/** Why two systems differ under one metric. */
export interface ExplainedMetric {
  readonly clauses: readonly ExplainedClause[];
  readonly notes: readonly string[];
  readonly tables: readonly ExplainedTable[];
  readonly passages: readonly ExplainedPassage[];
}

/** Why two systems differ, metric by metric, as `ExplainedPair` lists them. */
export interface ExplanationPart {
  readonly metrics: readonly ExplainedMetric[];
}

/** Where a system stands under a metric on one of several test sets; both by position. */
export interface SetScore {
  readonly system: number;
  readonly metric: number;
  readonly score: number | null;
  readonly cluster: number | null;
  readonly digits: number;
}

/** One of several test sets: what it is, and what its own overview says first. */
export interface SetSummary {
  readonly testset: string;
  readonly source_language: string | null;
  readonly target_language: string | null;
  readonly documents: number;
  readonly segments: number;
  readonly headline: string | null;
  readonly scores: readonly SetScore[];
}

/** Several test sets in one file: all systems and metrics that any of them has. */
export interface SetsIndex {
  readonly version: number;
  readonly headline: string;
  readonly systems: readonly string[];
  readonly metrics: readonly string[];
  readonly sets: readonly SetSummary[];
}

/** One metric's scores of all segments, system by system, in the order of the test set. */
export interface SegmentScores {
  readonly metric: number;
  readonly scores: Packed;
}

/** The evidence of one layer in one document, a column a property. */
export interface LayerPart {
  readonly layer: number;
  readonly system: Packed;
  readonly reason: Packed;
  readonly value: Packed;
  readonly spans: Packed;
  readonly side: Packed;
  readonly segment: Packed;
  readonly start: Packed;
  readonly length: Packed;
}

/** The texts of one document (segments x sides) and the evidence in them. */
export interface DocumentPart {
  readonly texts: readonly (readonly (string | null)[])[];
  readonly layers: readonly LayerPart[];
  readonly handed_in: readonly (Packed | null)[];
  readonly labels: readonly string[] | null;
}
