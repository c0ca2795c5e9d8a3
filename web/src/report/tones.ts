// What a reason means for the reader: is it good, half good, bad, or simply of a kind?

export type Tone = string;

/** The part of a reason that names its kind, before a colon: "major: accuracy" is "major". */
export function kindOf(reason: string): string {
  const colon = reason.indexOf(": ");
  return colon < 0 ? reason : reason.slice(0, colon);
}

/** What follows the kind; empty where the reason is a kind only. */
export function detailOf(reason: string): string {
  const colon = reason.indexOf(": ");
  return colon < 0 ? "" : reason.slice(colon + 2);
}

const WORDS: readonly (readonly [RegExp, Tone])[] = [
  [/\b(allowed|permitted|as the reference|reference varies)\b/i, "allowed"],
  [/\b(not in the output|missed|missing|omitted)\b/i, "missed"],
  // A reference is one good translation of many: what it lacks is not wrong for that.
  // So is what was moved: it is there, in another place.
  [/\b(not in the reference|unmatched|not matched|moved)\b/i, "beyond"],
  [/\b(partly|partial|partially|minor|some|repeated)\b/i, "half"],
  [
    /\b(in-?consistent|inconsistently|false|wrong|critical|major|severe|error|lost|added)\b/i,
    "bad",
  ],
  [/\b(consistent|consistently|matched|same|exact|kept|correct)\b/i, "good"],
];

const PLAIN = 8; // colours for kinds that are neither good nor bad

/** A tone for each kind, in the order of first appearance; unknown kinds get colours of their own. */
export function tones(reasons: readonly string[]): Map<string, Tone> {
  const found = new Map<string, Tone>();
  let plain = 0;
  for (const kind of reasons.map(kindOf)) {
    if (found.has(kind)) continue;
    const known = WORDS.find(([words]) => words.test(kind));
    found.set(kind, known ? known[1] : `plain${plain++ % PLAIN}`);
  }
  return found;
}
