"""Does a metric see that a small change turned the meaning round? Minimal pairs, ranked right.

    python benchmarks/minimal_pairs.py path/to/wmt [--metrics prism,embedding,chrf,bleu,ter]
                                       [--pairs 60] [--show 5] [--device cuda]

From human references, by rule (minimal_edit_rules.py), in English and German: a reference r, broken
in one place (a negation, a number, a name, an antonym, who does what to whom), is e. A metric that
scores against r should prefer

(a) a paraphrase to it: another human translation p of the same source, which shares fewer words
    with r than e does;
(b) a harmless edit of r to it: a contraction, a synonym, another spelling, a number in words, which
    changes as many words as the harmful one, or one more or fewer.

Prints the share of pairs ranked right, score(p | r) > score(e | r), with Wilson's 95 % interval; a
tie is not right, and a coin would have 50 %. --show prints pairs instead, to be read.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from scipy.stats import binomtest

from isogloss import Collection, evaluate
from isogloss.documents import Document, SystemOutput, TestSet
from isogloss.formats import read_collection
from isogloss.metrics import load_metric, prepared
from isogloss.runtime import Runtime, default_cache_folder
from isogloss.signature import split_names
from minimal_edit_rules import RULES, Rules
from minimal_edits import CATEGORIES, Edit, shared_names_swapped

SETS = {  # two independent human translations each
    "en": (("wmt22.da/de-en", "A", "B"), ("wmt22.da/cs-en", "B", "C"), ("wmt20/zh-en", "A", "B")),
    "de": (("wmt20/en-de", "A", "B"), ("wmt21.news/en-de", "A", "C"), ("wmt22/en-de", "A", "B")),
}
METRICS = "prism,embedding,chrf,bleu,ter"
SEED = 20


@dataclass(frozen=True, slots=True)
class Pair:
    """A reference, a true paraphrase, a broken edit and, where there is one, a harmless edit."""

    category: str
    source: str
    reference: str
    paraphrase: str
    broken: Edit
    reworded: Edit | None


@dataclass(frozen=True, slots=True)
class Twice:
    """A source with two human translations."""

    source: str
    reference: str
    paraphrase: str


def translated_twice(folder: Path, first: str, second: str) -> Iterator[Twice]:
    """The segments of a test set that have two different references of 6 to 40 words."""
    for document in read_collection(folder).testset.documents:
        sides = document.source, document.references[first], document.references[second]
        for source, one, other in zip(*sides, strict=True):
            if one and other and one != other and 6 <= len(one.split()) <= 40:
                yield Twice(source, one, other)


def changed_words(one: str, other: str) -> int:
    """How many words one has to be inserted, deleted or replaced (Levenshtein)."""
    a, b = one.split(), other.split()
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, start=1):
        above, row = row, [i]
        for j, target in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (word != target)))
    return row[-1]


def harmless(reference: str, broken: str, rules: Rules, random: Random) -> Edit | None:
    """A rewording of the reference that changes as many words as the broken edit, or nearly."""
    size = changed_words(reference, broken)
    text, made_by = reference, ""
    for _ in range(size):
        edits = [edit for rule in rules.reworded for edit in rule(text, random)]
        sized = [(abs(changed_words(reference, edit.text) - size), edit) for edit in edits]
        sized = [(off, edit) for off, edit in sized if edit.text != reference]
        if not sized:
            return None
        least = min(off for off, _ in sized)
        text, rule = random.choice([edit for off, edit in sized if off == least])
        made_by += f"{', ' if made_by else ''}{rule}"
        if least == 0:
            break
    return Edit(text, made_by) if abs(changed_words(reference, text) - size) <= 1 else None


def pairs_of(category: str, texts: Sequence[Twice], rules: Rules, wanted: int) -> list[Pair]:
    """Pairs of one category: one for each segment, those that match best in size first."""
    made_by = [*rules.broken[category]]
    if category == "names" and rules.names:
        people = {m[1] for text in texts for m in rules.names.titled.finditer(text.reference)}
        made_by.append(rules.names.other_name(sorted(people)))
    random = Random(f"{SEED} {category}")  # the same pairs every time
    made = []
    for text in random.sample(texts, len(texts)):
        edits = [edit for rule in made_by for edit in rule(text.reference, random)]
        if category == "roles":
            edits += shared_names_swapped(text.reference, text.source)
        edits = [edit for edit in edits if edit.text not in (text.reference, text.paraphrase)]
        if edits and not (category == "negation" and "?" in text.reference):
            broken = random.choice(edits)
            reworded = harmless(text.reference, broken.text, rules, random)
            made.append(
                Pair(category, text.source, text.reference, text.paraphrase, broken, reworded)
            )
    return sorted(made, key=_mismatch)[:wanted]


def _mismatch(pair: Pair) -> int:
    """By how many words the harmless edit is larger or smaller than the harmful one."""
    if pair.reworded is None:
        return 2
    sizes = [changed_words(pair.reference, e.text) for e in (pair.broken, pair.reworded)]
    return abs(sizes[0] - sizes[1])


def all_pairs(folder: Path, wanted: int) -> dict[str, list[Pair]]:
    """The pairs of every language."""
    found = {}
    for language, sets in SETS.items():
        texts = [t for name, *refs in sets for t in translated_twice(folder / name, *refs)]
        distinct = list({text.reference: text for text in texts}.values())
        found[language] = [
            pair
            for category in CATEGORIES
            for pair in pairs_of(category, distinct, RULES[language], wanted)
        ]
    return found


def collection_of(language: str, pairs: Sequence[Pair]) -> Collection:
    """The pairs as a test set of one-segment documents with three systems."""
    documents = tuple(
        Document(str(number), (pair.source,), {"r": (pair.reference,)})
        for number, pair in enumerate(pairs)
    )
    sides = {
        "paraphrase": [pair.paraphrase for pair in pairs],
        "broken": [pair.broken.text for pair in pairs],
        "reworded": [pair.reworded and pair.reworded.text for pair in pairs],
    }
    outputs = tuple(
        SystemOutput(name, {str(n): (text,) for n, text in enumerate(texts)})
        for name, texts in sides.items()
    )
    return Collection(TestSet(f"minimal pairs {language}", None, language, documents), outputs)


Verdicts = dict[tuple[str, str, str, str], list[bool]]
"""Whether each pair was ranked right, by metric, comparison, language and category."""


def ranked(
    language: str, pairs: Sequence[Pair], names: Sequence[str], device: str, verdicts: Verdicts
) -> None:
    """Score all sides of the pairs and note who came first."""
    collection = collection_of(language, pairs)
    runtime = Runtime(device, default_cache_folder())
    languages = collection.testset.source_language, collection.testset.target_language
    metrics = {name: prepared(load_metric(name, *languages), runtime) for name in names}
    table = evaluate(collection, metrics.values())
    for line in table.obstacles:
        print(line, file=sys.stderr)
    for name, metric in metrics.items():
        sign = 1 if metric.higher_is_better else -1
        scores = {
            side: [document.score for document in table[str(metric.name), side].documents]
            for side in ("paraphrase", "reworded", "broken")
        }
        for number, pair in enumerate(pairs):
            broken = scores["broken"][number]
            for side in ("paraphrase", "reworded"):
                score = scores[side][number]
                if score is not None and broken is not None:
                    key = name, side, language, pair.category
                    verdicts.setdefault(key, []).append(sign * score > sign * broken)


def share(found: Sequence[bool]) -> str:
    """The share ranked right with its interval, in per cent."""
    if not found:
        return "–"
    interval = binomtest(sum(found), len(found)).proportion_ci(method="wilson")
    return (
        f"{100 * sum(found) / len(found):.0f} [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"
    )


def print_table(title: str, side: str, names: Sequence[str], verdicts: Verdicts) -> None:
    """Categories x metrics, all languages together, then each language."""
    print(f"\n**{title}**\n")
    print("| | pairs | " + " | ".join(f"`{name}`" for name in names) + " |")
    print("|---|---|" + "---|" * len(names))
    groups = [
        *((category, tuple(SETS), (category,)) for category in CATEGORIES),
        *((f"all, {language}", (language,), CATEGORIES) for language in SETS),
        ("**all**", tuple(SETS), CATEGORIES),
    ]
    for label, languages, categories in groups:
        columns = [
            [
                verdict
                for language in languages
                for category in categories
                for verdict in verdicts.get((name, side, language, category), ())
            ]
            for name in names
        ]
        count = max(map(len, columns))
        print(f"| {label} | {count} | " + " | ".join(map(share, columns)) + " |")


def show(pairs: Iterable[Pair], count: int) -> None:
    """So many pairs of each category, to be read."""
    for category in CATEGORIES:
        own = [pair for pair in pairs if pair.category == category]
        print(f"\n== {category}: {len(own)} pairs, {sum(p.reworded is not None for p in own)} with "
              "a harmless edit")  # fmt: skip
        for pair in Random(SEED).sample(own, min(count, len(own))):
            print(f"\n  reference   {pair.reference}\n  paraphrase  {pair.paraphrase}")
            print(f"  broken      {pair.broken.text}  [{pair.broken.rule}]")
            if pair.reworded:
                print(f"  harmless    {pair.reworded.text}  [{pair.reworded.rule}]")


def main() -> None:
    """Make the pairs, let every metric rank them, print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-m", "--metrics", default=METRICS, help="as for isogloss evaluate")
    parser.add_argument("--pairs", type=int, default=60, help="of each language and category")
    parser.add_argument("--show", type=int, help="print so many pairs of each category instead")
    parser.add_argument("--device", default="cpu", help="where models run: cpu, cuda or auto")
    arguments = parser.parse_args()
    pairs = all_pairs(arguments.folder, arguments.pairs)
    if arguments.show:
        for language, own in pairs.items():
            print(f"\n#### {language}")
            show(own, arguments.show)
        return
    names = split_names(arguments.metrics)
    verdicts: Verdicts = {}
    for language, own in pairs.items():
        ranked(language, own, names, arguments.device, verdicts)
    print_table("(a) a human paraphrase above the broken edit", "paraphrase", names, verdicts)
    print_table("(b) a harmless edit above the harmful one", "reworded", names, verdicts)


if __name__ == "__main__":
    main()
