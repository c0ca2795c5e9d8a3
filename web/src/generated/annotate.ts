// Made by web/generate_annotate_types.py from the server's OpenAPI schema: do not edit.

/** One measure of agreement, or why there is none. */
export interface AgreementFigure {
  readonly what: string;
  readonly statistic: string;
  readonly value: number | null;
  readonly reason: string | null;
  readonly units: number;
}

/** How somebody judges in one kind of work, beside the others; what of it stands out. */
export interface AnnotatorConduct {
  readonly annotator: string;
  readonly kind: string;
  readonly documents: number;
  readonly shared: number;
  readonly mildness: MeasuredFigure | null;
  readonly spread: MeasuredFigure | null;
  readonly agreement: MeasuredFigure | null;
  readonly drift: MeasuredFigure | null;
  readonly beside_others: boolean;
  readonly spoilt: number;
  readonly spoilt_seen: number;
  readonly stands_out: boolean;
  readonly words: readonly string[];
}

/** How far somebody has come. */
export interface AnnotatorProgress {
  readonly name: string;
  readonly done: number;
  readonly total: number;
  readonly seconds_per_item: number | null;
  readonly hours_left: number | null;
  readonly repeat_difference: number | null;
  readonly degraded_seen: number | null;
  readonly bias: number | null;
}

/** How somebody does in all tutorials. */
export interface AnnotatorTutorials {
  readonly name: string;
  readonly tutorials: readonly TutorialStanding[];
}

/** The answer that stands. */
export interface AnswerView {
  readonly revision: number;
  readonly value: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** A campaign in the list of several: who one is there, and how far those are whom one sees. */
export interface CampaignEntry {
  readonly path: string;
  readonly campaign: string;
  readonly role: "organiser" | "curator" | "annotator" | "observer";
  readonly closed: boolean;
  readonly people: number;
  readonly done: number;
  readonly total: number;
}

/** A candidate with the revision on which a change must be based. */
export interface CandidateView {
  readonly item: string;
  readonly revision: number;
  readonly markable: CuratedMarkable;
}

/** A place of a repeated word, and its sentence in the translation by people. */
export interface ChainPlace {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
  readonly target: string | null;
  readonly targets: readonly (readonly [number, number])[];
}

/** A repeated word and the words that stand for it in a translation by people. */
export interface ChainView {
  readonly item: string;
  readonly id: string;
  readonly word: string;
  readonly translation: string;
  readonly places: readonly ChainPlace[];
}

/** What somebody gets who has answered everything; no code where checks were missed. */
export interface CompletionView {
  readonly code: string | null;
  readonly url: string | null;
}

/** Must the occurrences of a chain be translated alike? */
export interface ConsistencyValue {
  readonly same: boolean | null;
  readonly unsure: boolean;
  readonly flexible: readonly number[];
}

/** A markable as the organiser wants it; `origin` says who came up with it. */
export interface CuratedMarkable {
  readonly head: string;
  readonly occurrences: readonly PlaceView[];
  readonly state: "proposed" | "accepted" | "rejected";
  readonly origin: string;
}

/** The candidates of one document. */
export interface CurationDocument {
  readonly task: string;
  readonly document: string;
  readonly source: readonly string[];
  readonly candidates: readonly CandidateView[];
  readonly released: number;
  readonly proposed: boolean;
}

/** Direct assessment: one score for a segment; `None` where it was taken back. */
export interface DirectValue {
  readonly score: number | null;
}

/** A place that annotators judged differently, and the decision where there is one. */
export interface Disagreement {
  readonly task: string;
  readonly item: string;
  readonly kind: string;
  readonly document: string;
  readonly segment: number | null;
  readonly source: string;
  readonly output: string | null;
  readonly system: string | null;
  readonly against: string | null;
  readonly other: string | null;
  readonly markable: string | null;
  readonly chain: DisputedChain | null;
  readonly opinions: readonly Opinion[];
  readonly apart: number;
  readonly decision: AnswerView | null;
}

/** A repeated word that annotators judged differently, with the sentences of its places. */
export interface DisputedChain {
  readonly chain: ChainView;
  readonly sources: readonly string[];
}

/** How people enrol. */
export interface EnrolmentSettings {
  readonly places: number;
  readonly items: number;
  readonly minutes: number;
  readonly parameter: string | null;
  readonly code: string | null;
  readonly url: string | null;
  readonly checks: number | null;
}

/** How people enrol, if they can, and how many have. */
export interface EnrolmentState {
  readonly settings: EnrolmentSettings | null;
  readonly link: string | null;
  readonly at_work: number;
  readonly finished: number;
  readonly gave_up: number;
}

/** A marked error; `missing` is one of omission, which has no words in the output. */
export interface ErrorSpan {
  readonly start: number;
  readonly end: number;
  readonly severity: "minor" | "major" | "critical";
  readonly category: string | null;
  readonly missing: boolean;
  readonly side?: string | null;
  readonly prefilled?: number | null;
}

/** How many people are to judge each document. */
export interface Extension {
  readonly redundancy: number;
}

/** Whose open work goes to others, and to whom: by default to whoever has least to do. */
export interface Handing {
  readonly name: string;
  readonly to: readonly string[] | null;
}

/** What somebody is told who comes by the link for many; `known` is who they are already. */
export interface Invitation {
  readonly campaign: string;
  readonly guidelines: string;
  readonly parameter: string | null;
  readonly known: string | null;
  readonly closed: boolean;
  readonly items: number;
}

/** How many answers that came too late were taken in, and how many were not. */
export interface LateTaken {
  readonly taken: number;
  readonly left: number;
}

/** Answers of one attempt at a tutorial. */
export interface LearnedAnswers {
  readonly attempt: number;
  readonly answers: readonly TypedAnswer[];
}

/** Who leaves; `keep` leaves their work with them. */
export interface Leaving {
  readonly name: string;
  readonly to: readonly string[] | null;
  readonly keep: boolean;
}

/** What an answer in a tutorial lacks, and a word of explanation. */
export interface Lesson {
  readonly lacking: readonly string[];
  readonly explanation: string;
}

/** Somebody who may work without having passed the tutorial of a phase. */
export interface LetIn {
  readonly name: string;
  readonly phase: "phase1" | "phase2" | "da" | "spans" | "contrastive" | "consistency" | "document" | "preference";
  readonly at: number;
}

/** Phase 1: one line of one translation; `note` is for words that cannot be selected. */
export interface LineValue {
  readonly adequacy: number | null;
  readonly fluency: number | null;
  readonly conflicting: boolean;
  readonly reported: readonly Reported[];
  readonly note: string;
}

/** A markable with all its places in the source. */
export interface MarkableView {
  readonly head: string;
  readonly occurrences: readonly PlaceView[];
}

/** Who is asking, and what they have to do. */
export interface Me {
  readonly name: string;
  readonly role: "organiser" | "curator" | "annotator" | "observer";
  readonly standing: "open" | "closed" | "withdrawn";
  readonly campaign: string;
  readonly guidelines: string;
  readonly phases: readonly ("phase1" | "phase2" | "da" | "spans" | "contrastive" | "consistency" | "document" | "preference")[];
  readonly tasks: readonly TaskSummary[];
  readonly enrolled: boolean;
  readonly nameless: boolean;
  readonly tutorials: readonly TutorialStanding[];
  readonly batch: number;
  readonly preview: boolean;
}

/** A figure with its interval, or without one where there is too little to tell. */
export interface MeasuredFigure {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Somebody who takes part: what they have to do, and whether their link still works. */
export interface MemberView {
  readonly name: string;
  readonly role: "organiser" | "curator" | "annotator" | "observer";
  readonly state: "active" | "withdrawn";
  readonly done: number;
  readonly total: number;
  readonly late: number;
}

/** Somebody by their name. */
export interface Named {
  readonly name: string;
}

/** A secret link, shown this once, and the work that comes with it. */
export interface NewLink {
  readonly link: string;
  readonly work: WorkView;
}

/** Somebody who is to take part; an annotator takes a share of the work, unless told not to. */
export interface NewPerson {
  readonly name: string;
  readonly role: "organiser" | "curator" | "annotator" | "observer";
  readonly nameless: boolean;
  readonly share: boolean;
}

/** Somebody wants a place; `platform` is their id on a crowd platform. */
export interface NewcomerSent {
  readonly token: string;
  readonly platform: string | null;
}

/** Phase 2: one occurrence of a markable in one translation. */
export interface OccurrenceValue {
  readonly no_error: boolean;
  readonly phenomena: Readonly<Partial<Record<Phenomenon, number | null>>>;
  readonly target: readonly Place[] | null;
  readonly same_as: string | null;
}

/** What one annotator said. */
export interface Opinion {
  readonly annotator: string;
  readonly answer: AnswerView;
}

/** How the campaign goes. */
export interface Overview {
  readonly campaign: string;
  readonly annotators: readonly AnnotatorProgress[];
  readonly conduct: readonly AnnotatorConduct[];
  readonly agreement: readonly AgreementFigure[];
  readonly systems: readonly SystemFigure[];
  readonly phenomena: readonly PhenomenonFigure[];
  readonly disagreements: number;
  readonly exports: readonly string[];
}

/** Who takes part, and whether the campaign takes answers. */
export interface PeopleView {
  readonly people: readonly MemberView[];
  readonly closed: boolean;
  readonly redundancy: number;
}

/** One kind of error; its value is its name in metrics, commands and our event log. */
export type Phenomenon =
  | "non-translated"
  | "over-translated"
  | "terminology"
  | "style"
  | "sense"
  | "typography"
  | "role"
  | "grammar"
  | "inconsistency"
  | "conflict"
  | "disappearance";

/** How often a phenomenon was marked in a system, and how severe it was where it was rated. */
export interface PhenomenonFigure {
  readonly system: string;
  readonly phenomenon: string;
  readonly judged: number;
  readonly occurrence: number;
  readonly severity: number | null;
}

/** A range of code points of a segment. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** Code points of one segment. */
export interface PlaceView {
  readonly segment: number;
  readonly start: number;
  readonly end: number;
}

/** Which of two translations of a document is better, and why. */
export interface PreferenceValue {
  readonly better: string | null;
  readonly reasons: readonly ("meaning" | "completeness" | "fluency" | "terms" | "coherence" | "style")[];
  readonly note: string;
}

/** How many markables a program has added, and of how many that were there it says more. */
export interface Proposals {
  readonly added: number;
  readonly joined: number;
}

/** What became of an answer: its revision, or the one that stands instead. */
export interface Receipt {
  readonly key: string;
  readonly revision: number | null;
  readonly conflict: AnswerView | null;
  readonly refused: string | null;
}

/** One for each answer, in their order. */
export interface Receipts {
  readonly receipts: readonly Receipt[];
}

/** Words that an annotator selected as a markable. */
export interface Reported {
  readonly start: number;
  readonly end: number;
  readonly side: "source" | "output";
  readonly text: string;
}

/** What a number of a score means. */
export interface ScalePoint {
  readonly at: number;
  readonly words: string;
}

/** An answer with its idempotency key and the revision on which it is based. */
export interface SentAnswer {
  readonly key: string;
  readonly task: string;
  readonly item: string;
  readonly revision: number;
  readonly value: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Answers that were given since the last time; a browser that was offline sends many. */
export interface SentAnswers {
  readonly answers: readonly SentAnswer[];
}

/** An item that shows another text than the document has at its place. */
export interface ShownItem {
  readonly item: string;
  readonly segment: number;
  readonly slot: string;
  readonly text: string;
}

/** ESA, contrastive or not, and MQM: the errors of a segment, and a score. */
export interface SpansValue {
  readonly errors: readonly ErrorSpan[];
  readonly score: number | null;
}

/** A system's mean score in one kind of task. */
export interface SystemFigure {
  readonly system: string;
  readonly human: boolean;
  readonly kind: string;
  readonly mean: number;
  readonly judged: number;
}

/** A task in the list of somebody's work. */
export interface TaskSummary {
  readonly id: string;
  readonly kind: "phase1" | "phase2" | "da" | "spans" | "contrastive" | "consistency" | "document" | "preference";
  readonly title: string;
  readonly document: string;
  readonly done: number;
  readonly total: number;
}

/** Everything that the page of a task needs. */
export interface TaskView {
  readonly id: string;
  readonly kind: "phase1" | "phase2" | "da" | "spans" | "contrastive" | "consistency" | "document" | "preference";
  readonly document: string;
  readonly source: readonly string[];
  readonly source_language: string | null;
  readonly target_language: string | null;
  readonly reference: readonly (string | null)[] | null;
  readonly slots: readonly string[];
  readonly outputs: Readonly<Record<string, readonly (string | null)[]>>;
  readonly items: readonly string[];
  readonly shown: readonly ShownItem[];
  readonly markable: MarkableView | null;
  readonly aligned: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  readonly chains: readonly ChainView[];
  readonly pairs: readonly (readonly [string, string])[];
  readonly prefilled: Readonly<Record<string, readonly (Readonly<Record<string, unknown>>)[]>>;
  readonly severities: readonly string[];
  readonly categories: readonly string[];
  readonly scale: readonly ScalePoint[];
  readonly answers: Readonly<Record<string, AnswerView>>;
}

/** How far somebody has come in the tutorial of a phase; `best` is of whole attempts. */
export interface TutorialStanding {
  readonly phase: "phase1" | "phase2" | "da" | "spans" | "contrastive" | "consistency" | "document" | "preference";
  readonly state: "open" | "passed" | "failed";
  readonly let_in: boolean;
  readonly best: number | null;
  readonly total: number;
  readonly attempts: number;
  readonly tries_left: number | null;
  readonly needed: number;
}

/** The page of a tutorial; items that have a lesson stay as they are. */
export interface TutorialView {
  readonly task: TaskView;
  readonly attempt: number;
  readonly lessons: Readonly<Record<string, Lesson>>;
  readonly standing: TutorialStanding;
}

/** An answer in a tutorial. */
export interface TypedAnswer {
  readonly item: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** How much was given out, and how many items nobody was there for. */
export interface WorkView {
  readonly tasks: number;
  readonly items: number;
  readonly left: number;
}

/** The phenomena in their order, with their names for people. */
export const PHENOMENA: readonly (readonly [Phenomenon, string])[] = [
  ["non-translated", "Non-translated"],
  ["over-translated", "Over-translated"],
  ["terminology", "Terminology"],
  ["style", "Style"],
  ["sense", "Sense"],
  ["typography", "Typography"],
  ["role", "Semantic role"],
  ["grammar", "Other grammar"],
  ["inconsistency", "Inconsistency"],
  ["conflict", "Conflict"],
  ["disappearance", "Disappearance"],
];

/** Names these types. */
export const WIRE = "8a24c025b0b7";
