"""What a careful colleague would remark about a test set before trusting scores on it.

None of this is an error: the texts are used as they are. But nothing of it stays silent either.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from statistics import fmean

from isogloss.documents import Collection, SystemOutput, TestSet, counted
from isogloss.language import TOKENISER_OF, is_known, is_unspaced, primary
from isogloss.model import VARIETY_OF
from isogloss.scores import SystemScore
from isogloss.wholes import Cut, Kind

_TOKENISED_SHARE = 0.2


def notices(collection: Collection) -> tuple[str, ...]:
    """One line for each thing worth knowing, the most serious first."""
    return (*_about_cuts(collection), *_about_testset(collection), *_about_outputs(collection))


def remarks_in(rows: Iterable[SystemScore]) -> tuple[str, ...]:
    """What metrics had to remark while measuring: a line each, however many systems there are."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        for document in row.documents:
            for what, number in document.measurement.remarks.items():
                found[row.metric, what][row.system] += number
    return tuple(_remark(metric, what, systems) for (metric, what), systems in found.items())


def _remark(metric: str, what: str, systems: Counter[str]) -> str:
    """What happened, where, and what helps, which stands behind a semicolon."""
    [(system, number)] = systems.most_common(1)
    happened, semicolon, remedy = what.partition("; ")
    most = f"{metric}: {happened} in {counted(number, 'segment')} of {system!r}"
    return most + at_most_as_many(len(systems) - 1) + semicolon + remedy


def at_most_as_many(others: int) -> str:
    """The end of a line that names the one system that is most concerned."""
    return f", and at most as many of {counted(others, 'other system')}" if others else ""


def _about_cuts(collection: Collection) -> Iterator[str]:
    testset = collection.testset
    if testset.cut_by is not None:
        yield (
            f"the test set was cut by {testset.cut_by}: references that were handed "
            "in whole, or paragraphs of the source; look at the cuts ('isogloss segment')"
        )
    for output in collection.outputs:
        if output.cut_by is not None:
            yield _about_cut(output)
    languages = testset.source_language, testset.target_language
    if testset.has_source and None in languages and any(o.cut_by for o in collection.outputs):
        yield (
            "texts were cut by the spelling of their words alone, since nobody said what the "
            "languages are; name both for better cuts"
        )


def _about_cut(output: SystemOutput) -> str:
    handed_in = Counter(_as_handed_in(cut) for cut in output.cuts.values())
    as_it_was = handed_in.pop(_AS_IT_WAS, 0)
    told = ", ".join(f"{number:,} {how}" for how, number in handed_in.items())
    return (
        f"system {output.name!r}: {counted(handed_in.total(), 'document')} cut by "
        f"{output.cut_by}{f' ({told})' if told else ''}"
        f"{f', {as_it_was:,} left as handed in' if as_it_was else ''}"
        f"{_found_in(output.cuts.values())}; look at the cuts ('isogloss segment')"
    )


_AS_IT_WAS = "as it was"


def _as_handed_in(cut: Cut) -> str:
    if cut.places == Cut.at_parts(cut.whole).places:
        return _AS_IT_WAS
    if len(cut.whole.parts) == len(cut.places):
        return "handed in with as many segments as the source"
    whole = len(cut.whole.parts) <= 1
    return "handed in whole" if whole else "handed in with other segments than the source"


def _found_in(cuts: Iterable[Cut]) -> str:
    """How often text lacks its partner; nothing where all of it has one."""
    kinds = Counter(disparity.kind for cut in cuts for disparity in cut.disparities or ())
    told = [f"{kinds[kind]:,} {kind}" for kind in Kind if kinds[kind]]
    return f"; passages found: {', '.join(told)}" if told else ""


def _about_testset(collection: Collection) -> Iterator[str]:
    testset = collection.testset
    yield from _about_languages(testset)
    blank = sum(not line.strip() for document in testset.documents for line in document.source)
    if blank and testset.has_source:
        yield (
            f"the source has {counted(blank, 'empty segment')}; leave them out unless they are "
            "meant to be empty"
        )
    for name in testset.reference_names:
        lines = [line for document in testset.documents for line in document.references[name]]
        yield from _about_side(f"reference {name!r}", lines)
    if all(len(document) == 1 for document in testset.documents) and len(testset.documents) > 1:
        yield (
            "every document has one segment, so intervals and tests go by single segments; if "
            "segments belong together, say to which documents (--documents)"
        )


def _about_languages(testset: TestSet) -> Iterator[str]:
    for which, language in (
        ("source", testset.source_language),
        ("target", testset.target_language),
    ):
        if language is not None and not is_known(language):
            yield (
                f"the {which} language {language!r} is no code of ISO 639: no tools know it; name "
                "another, as in --from cs --to en"
            )
        broader = VARIETY_OF.get(primary(language) or "")
        if broader is not None:
            yield (
                f"the {which} language {language!r}: models that lack it take it for {broader!r}; "
                "see 'isogloss list languages'"
            )
    if primary(testset.target_language) not in TOKENISER_OF and _has_phrases(testset):
        yield (
            f"no tokeniser finds words in {testset.target_language or 'the target language'}, "
            "which is written without spaces: metrics of words (ter, meteor, cohesion, lc, rc, "
            "ltcr, markables) take phrases for words; chrf and bleu(tokenize=char) count characters"
        )


def _has_phrases(testset: TestSet) -> bool:
    """Whether most references are in a script without spaces that Unicode's rules do not part."""
    lines = [line for d in testset.documents for side in d.references.values() for line in side]
    present = [line for line in lines if line]
    return 2 * sum(is_unspaced(line, ideographs=False) for line in present) > len(present)


def _about_outputs(collection: Collection) -> Iterator[str]:
    for output in collection.outputs:
        lines = [line for segments in output.documents.values() for line in segments]
        yield from _about_side(f"system {output.name!r}", lines)
        present = [line for line in lines if line is not None]
        tokenised = sum(line.endswith(" .") for line in present)
        if tokenised > _TOKENISED_SHARE * len(present):
            yield (
                f"system {output.name!r}: {counted(tokenised, 'segment')} end in ' .' and "
                "look tokenised; metrics expect plain text: detokenise the output"
            )
    yield from _nearer_to_the_source(collection)
    yield from _identical(collection.outputs)


def _nearer_to_the_source(collection: Collection) -> Iterator[str]:
    """Whether outputs are in the language of the source: sides were swapped, or none translated."""
    testset, near = collection.testset, []
    if not testset.has_source or not testset.reference_names:
        return
    for output in collection.outputs:
        sides = list(islice(_texts_of(testset, output), _LOOKED_AT))
        to_source = fmean(_likeness(text, source) for text, source, _ in sides) if sides else 0
        if to_source <= _NEAR:
            continue
        if to_source > 2 * fmean(_likeness(text, other) for text, _, other in sides):
            near.append(output.name)
    if near and len(near) == len(collection.outputs):
        yield (
            "all outputs are nearer to the source than to the reference; are source and reference "
            "swapped, or the outputs not translated?"
        )
    elif near:
        named = ", ".join(map(repr, near))
        yield f"outputs nearer to the source than to the reference: {named}; are they translations?"


_LOOKED_AT = 200  # segments: enough to tell one language from another
_NEAR = 0.3


def _texts_of(testset: TestSet, output: SystemOutput) -> Iterator[tuple[str, str, str]]:
    """What a system made of each segment, its source, and its first reference."""
    reference = testset.reference_names[0]
    for document in testset.documents:
        sides = zip(
            output.documents.get(document.id, ()),
            document.source,
            document.references[reference],
            strict=False,
        )
        for text, source, other in sides:
            if text and source and other:
                yield text, source, other


def _likeness(text: str, other: str) -> float:
    """The share of the text's three-letter pieces that the other has, too."""
    pieces = _pieces(text)
    if not pieces:
        return float(text in other)
    return len(pieces & _pieces(other)) / len(pieces)


@lru_cache(maxsize=2 * _LOOKED_AT)  # sources are asked about for every system
def _pieces(text: str) -> frozenset[str]:
    return frozenset(map("".join, zip(text, text[1:], text[2:], strict=False)))


def _about_side(side: str, lines: Sequence[str | None]) -> Iterator[str]:
    absent = sum(line is None for line in lines)
    blank = sum(line is not None and not line.strip() for line in lines)
    if absent:
        yield (
            f"{side}: {counted(absent, 'segment')} of {len(lines):,} absent; "
            "scores are of the others only: add them for scores of all"
        )
    if blank:
        yield (
            f"{side}: {counted(blank, 'empty segment')}, scored as they are; give the texts again "
            "if they got lost"
        )


def _identical(outputs: Iterable[SystemOutput]) -> Iterator[str]:
    by_text = Counter(output.documents for output in outputs)
    for documents, count in by_text.items():
        if count > 1:
            names = [output.name for output in outputs if output.documents == documents]
            yield f"systems {', '.join(map(repr, names))} are identical; leave out all but one"
