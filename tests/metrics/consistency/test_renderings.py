"""Mentions on the source side, and how translations render them."""

import pytest

from isogloss.documents import Document, Segments
from isogloss.errors import FormatError, MismatchError, NotApplicableError
from isogloss.language import Token, content_words, function_words, normaliser, tokeniser
from isogloss.metrics.consistency import (
    Analyser,
    Chain,
    ChainItem,
    RenderingReader,
    Rule,
    Tagged,
    by_distance,
    by_part,
    shares,
    variations,
)
from isogloss.metrics.consistency.analysis import Annotated, Listed, all_repeated
from isogloss.metrics.consistency.mentions import (
    Tokens,
    WordKeys,
    mentions_of_term,
    part_of_tag,
    repeated_words,
)
from isogloss.metrics.consistency.ratios import Ratio
from isogloss.metrics.consistency.renderings import RenderedWord, accepted_keys, read_terms
from metrics.consistency.texts import Dictionary

HOUSE = {
    "抗洪屋": ["flood", "house", "houses", "shelter", "resistant", "control"],
    "建": ["built", "build"],
}
FLOOD_WORDS = Dictionary(HOUSE)
SOURCE = ("他们 建 抗洪屋", "抗洪屋 很 好", "没有 抗洪屋", "抗洪屋 建 了")
OUTPUT: Segments = (
    "They built the Flood-house .",
    "Flood control houses are good",
    None,
    "",
)


def analyser(aligner: Dictionary = FLOOD_WORDS) -> Analyser:
    space, fine = tokeniser(None, "space"), tokeniser("en", "unicode")
    reader = RenderingReader(normaliser("en", "stem"), function_words("en"))
    return Analyser(space, fine, content_words("zh"), reader, aligner)


def rendered(
    output: Segments = OUTPUT, source: tuple[str, ...] = SOURCE
) -> dict[str, RenderedWord]:
    tools, document = analyser(), Document("d", source)
    (segments,) = tools.aligned([document], [output]).documents
    words = tools.reader.rendered(all_repeated(document, tools), segments)
    return {word.word.word: word for word in words}


def test_repeated_words_with_their_places() -> None:
    words = {
        w.word: w
        for w in repeated_words(
            analyser().source(Document("d", SOURCE)), WordKeys(content_words("zh"))
        )
    }
    assert {(m.segment, m.tokens, m.start, m.end) for m in words["抗洪屋"].mentions} == {
        (0, (2,), 5, 8),
        (1, (0,), 0, 3),
        (2, (1,), 3, 6),
        (3, (0,), 0, 3),
    }
    assert "很" not in words  # stands once


def test_capitals_make_no_other_word_and_marks_are_none() -> None:
    tokens = [Tokens.of(tokeniser("en").tokenise(text)) for text in ("Bank,", "bank,")]
    assert [word.word for word in repeated_words(tokens, WordKeys(content_words("en")))] == ["bank"]


def test_renderings_absent_and_untranslated() -> None:
    words = rendered(("the flood shelter", "Flood control houses , good", None, ""))
    first, second, absent, empty = words["抗洪屋"].renderings
    assert first is not None
    assert second is not None
    assert (first.key, first.text, first.places) == ("flood shelter", "flood shelter", ((4, 17),))
    assert (second.key, second.text) == ("flood control hous", "Flood control houses")
    assert absent is None
    assert empty is not None
    assert empty.key is None


def test_words_apart_are_shown_apart_and_articles_do_not_count() -> None:
    tools = analyser(Dictionary({"抗洪屋": ["house", "of", "floods", "the"]}))
    document = Document("d", ("抗洪屋 抗洪屋",))
    (segments,) = tools.aligned([document], [("the house of floods",)]).documents
    (word,) = tools.reader.rendered(all_repeated(document, tools), segments)
    first = word.renderings[0]
    assert first is not None
    assert (first.key, first.text) == ("hous flood", "house … floods")


@pytest.mark.parametrize(("null", "expected"), [("mismatch", Ratio(1, 3)), ("skip", Ratio(1, 1))])
def test_null_policies(null: str, expected: Ratio) -> None:
    same = rendered(("flood house", "the flood house", None, ""))["抗洪屋"]
    assert Rule(null=null).ratio(same) == expected  # type: ignore[arg-type]


def test_a_word_with_one_rendering_left_counts_nothing() -> None:
    alone = rendered(("flood house", None, None, None))["抗洪屋"]
    for family in ("pairs", "first", "pseudo-first", "pseudo-frequent"):
        assert Rule(family).ratio(alone) == (0, 0)  # type: ignore[arg-type]


def test_references_decide_together_what_must_be_alike() -> None:
    output = rendered(("flood house", "flood shelter", "house", "house"))["抗洪屋"]
    strict = rendered(("house", "house", "house", "house"))["抗洪屋"]
    free = rendered(("house", "house", "shelter", None))["抗洪屋"]
    rule = Rule()
    assert rule.ratio(output, [strict]) == (1, 6)
    assert rule.ratio(output, [free]) == (0, 1)
    assert rule.ratio(output, [strict, free]) == (0, 1)
    assert rule.ratios_by_distance(output, [free])[1] == (0, 1)


def test_annotated_words_and_chains_of_other_texts() -> None:
    items = (ChainItem(0, 2, 5, 8), ChainItem(1, 0, 0, 3))
    chain = Chain("d:1", "d", "抗洪屋", "house", items)
    chosen = Annotated.of([chain], ["d"])
    (word,) = chosen(Document("d", SOURCE), analyser())
    assert [mention.tokens for mention in word.mentions] == [(2,), (0,)]
    with pytest.raises(MismatchError, match="'抗洪屋' does not stand in document 'd', segment 1"):
        chosen(Document("d", ("别的 文字", "抗洪屋")), analyser())
    with pytest.raises(NotApplicableError, match="none of the chains"):
        Annotated.of([chain], ["e"])


def test_terms(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("terms") / "terms.tsv"
    file.write_text(
        "# ours\n抗洪屋\tflood house\n抗洪屋\tthe shelter\n很 好\tgood\n", encoding="utf-8"
    )
    terms = read_terms(file)
    tools = analyser()
    document = Document("d", SOURCE)
    words = Listed(terms)(document, tools)
    assert {word.word: len(word.mentions) for word in words} == {"抗洪屋": 4, "很 好": 1}
    accepted = accepted_keys(terms, tools.target_words, tools.reader)
    assert accepted["抗洪屋"] == {"flood hous", "shelter"}
    (segments,) = tools.aligned(
        [document], [("the flood house", "shelter", "a house", "")]
    ).documents
    said = tools.reader.rendered(words, segments)[0]
    assert Rule("terms", accepted=accepted).ratio(said) == (2, 4)
    file.write_text("抗洪屋 house\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"terms.tsv:1: no term and translation"):
        read_terms(file)


def test_a_term_inside_of_a_longer_word_is_none() -> None:
    tokens = [Tokens.of(tokeniser("en").tokenise("The art of an Artist, art"))]
    found = mentions_of_term("art", ["The art of an Artist, art"], tokens)
    assert found is not None
    assert [mention.start for mention in found.mentions] == [4, 22]
    assert mentions_of_term("arts", ["The art of an Artist, art"], tokens) is None


class _Tags:
    name = "tags"

    def tag(self, tokens: list[Token]) -> list[str]:
        return ["PROPN" if token.text == "抗洪屋" else "AUX" for token in tokens]


def test_breakdowns_by_part_and_distance() -> None:
    tools, document = analyser(), Document("d", SOURCE)
    (segments,) = tools.aligned(
        [document], [("built house", "house", "shelter", "house built")]
    ).documents
    words = tools.reader.rendered(Tagged(all_repeated, _Tags())(document, tools), segments)
    told = [(word, ()) for word in words]
    assert by_part(told, Rule()) == {
        "NOUN": (3, 6),
        "VERB": (1, 1),
        "ADJ/ADV": (0, 0),
        "OTHERS": (0, 0),
    }
    distances = by_distance(told, Rule())
    assert distances["1"] == (1, 3)
    assert distances["3"] == (2, 2)
    with pytest.raises(NotApplicableError, match="no tagger for cs"):
        Tagged.in_language(all_repeated, "cs")
    assert [part_of_tag(tag) for tag in ("ADV", "NUM")] == ["ADJ/ADV", "OTHERS"]


def test_intervals_are_over_the_documents_that_have_such_words() -> None:
    counted = [(1, 2), (4, 4), (3, 5), (2, 2), (5, 9)]
    documents = [{"all": Ratio(*pair), "none": Ratio(0, 0)} for pair in counted]
    silent = {"all": Ratio(0, 0), "none": Ratio(0, 0)}
    found = shares(documents, 500, 1, 0.95)
    assert found["all"].score == pytest.approx(100 * 15 / 22)
    low, high = found["all"].interval or (0.0, 0.0)
    assert 0 <= low < 100 * 15 / 22 < high <= 100
    assert shares([*documents, silent, silent], 500, 1, 0.95)["all"] == found["all"]
    assert found["none"].score is None
    assert found["none"].interval is None
    assert shares(documents[:2], 500, 1, 0.95)["all"].interval is None, "two documents say nothing"


def test_the_localisers_list() -> None:
    word = rendered(("flood shelter", "flood control house", None, ""))
    told = [(each, ()) for each in word.values()]
    listed = sorted(variations("d", told, Rule()), key=lambda variation: variation.rank)
    assert str(listed[0]) == "抗洪屋: flood shelter ×1, flood control house ×1, ∅ ×1"
    assert (listed[0].impact, listed[0].pairs) == (3, 3)
    assert listed[0].variants[0].segments == (0,)


def test_documents_are_aligned_in_an_order_of_their_own() -> None:
    seen: list[list[str]] = []

    class Watching(Dictionary):
        def align(self, pairs):  # type: ignore[no-untyped-def]
            seen.append([" ".join(target) for _, target in pairs])
            return super().align(pairs)

    tools = analyser(Watching(HOUSE, name="watching"))
    documents = [Document("b", ("抗洪屋",)), Document("a", ("建", "抗洪屋"))]
    forwards = tools.aligned(documents, [("one",), ("two", None)]).documents
    backwards = tools.aligned(documents[::-1], [("two", None), ("one",)]).documents
    assert seen == [["two", "one"]]  # the second time nothing was left to align
    assert forwards == backwards[::-1]
    assert [segment and segment.text for segment in forwards[1]] == ["two", None]
