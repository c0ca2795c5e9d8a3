"""Where a text that was handed in may be cut, and at what cost."""

import numpy as np
import pytest

from isogloss.segmentation.outputs import OutputPieces, ends_marked, output_pieces, run_end_costs
from isogloss.segmentation.readers import ModelReader, SpellingReader
from isogloss.wholes import WholeText

FAR = 1e3  # no evidence is worth so much


def pieces_of(*lines: str, language: str | None = "en") -> OutputPieces:
    return output_pieces(WholeText.of_lines(lines), SpellingReader(), language)


def cost(output: OutputPieces, text: str, before: str, *, unmarked: bool = False) -> float:
    """What it costs to cut where `before` begins, behind a source with a full stop or without."""
    begins = [start for start, _ in output.places]
    return float(output.costs[int(unmarked), begins.index(text.index(before))])


def test_the_dearer_the_less_a_place_looks_like_the_end_of_a_sentence() -> None:
    text = "It rained: we stayed, more or less. Then we left."
    output = pieces_of(text)
    costs = [cost(output, text, before) for before in ("Then", "we", "more", "or less")]
    assert costs == sorted(set(costs))
    assert costs[0] == 0
    assert costs[-1] < FAR


@pytest.mark.parametrize(
    ("text", "inside"),
    [("It is half-baked. Yes.", "-"), ("It is half-baked. Yes.", "baked"), ("In 3.5 days", "5")],
)
def test_a_word_is_never_cut(text: str, inside: str) -> None:
    assert cost(pieces_of(text), text, inside) > FAR


def test_the_models_pieces_of_a_word_stay_together(model_reader: ModelReader) -> None:
    text = "Extraordinarily disproportionate incomprehensibilities."
    output = output_pieces(WholeText.of_lines([text]), model_reader, "en")
    words = {0, text.index("disp"), text.index("incomp")}
    for gap, (start, _) in enumerate(output.places):
        assert (output.costs[0, gap] < FAR) == (start in words)
    assert len(output) > len(words)


def cheap(text: str, reader: ModelReader, language: str) -> set[int]:
    """Where a Chinese text may be cut."""
    output = output_pieces(WholeText.of_lines([text]), reader, language)
    return {start for gap, (start, _) in enumerate(output.places) if output.costs[0, gap] < FAR}


@pytest.mark.parametrize(
    ("text", "beginnings", "insides"),
    [
        ("我们昨天去了北京大学", ["昨天", "去"], "们天京学"),
        ("他买了iPhone 15和Mac 2，花了2000元", ["买", "和", "花"], "Pn"),
    ],
)
def test_without_spaces_words_are_told_by_their_language(
    model_reader: ModelReader, text: str, beginnings: list[str], insides: str
) -> None:
    found = cheap(text, model_reader, "zh")
    assert set(map(text.index, beginnings)) <= found
    assert not set(map(text.index, insides)) & found


def test_a_sentence_may_begin_without_a_space(model_reader: ModelReader) -> None:
    text = "He said 好。Then he left."
    assert text.index("Then") in cheap(text, model_reader, "en")


def test_the_pieces_of_one_character_stay_together(model_reader: ModelReader) -> None:
    text = "我买了苹果，我们走吧"
    output = output_pieces(WholeText.of_lines([text]), model_reader, "zh")
    (first, *others) = (
        gap for gap, (start, _) in enumerate(output.places) if start == text.index("苹")
    )
    assert others
    assert (output.costs[:, first] < FAR).all()
    assert (output.costs[:, others] > FAR).all()


def test_the_beginning_of_a_part_is_worth_something() -> None:
    """Paragraphs are hints: a cut there is cheaper, and elsewhere no dearer."""
    text = "We left Then it rained. It stopped."
    parted = pieces_of("We left", "Then it rained. It stopped.")
    joined = pieces_of(text)
    assert cost(parted, text, "Then") < cost(joined, text, "Then")
    assert cost(parted, text, "It stopped") == cost(joined, text, "It stopped")
    assert parted.starts.sum() == joined.starts.sum() + 1


@pytest.mark.parametrize(
    ("text", "closing", "opening"),
    [
        ('He said "go home " and left', '" and', '"go'),
        ("He said ( go home ) and left", ")", "("),
        ("He said « go home » and left", "»", "«"),
        ("他说 “ 回家 ” 就走了", "”", "“"),
    ],
)
def test_a_mark_that_closes_hardly_begins_a_segment(text: str, closing: str, opening: str) -> None:
    output = pieces_of(text)
    assert cost(output, text, closing) > cost(output, text, opening)


def test_where_the_source_has_no_full_stop_none_is_looked_for() -> None:
    text = "Storm hits coast. Many roads closed"
    output = pieces_of(text)
    assert cost(output, text, "roads", unmarked=True) < cost(output, text, "roads")
    assert cost(output, text, "Many", unmarked=True) > cost(output, text, "Many")


def test_the_ends_of_a_text_cost_nothing() -> None:
    for output in (pieces_of("We left."), pieces_of("We", "left"), pieces_of("。！", "")):
        assert (output.costs[:, [0, -1]] == 0).all()
        assert output.starts[[0, -1]].all()
        assert len(output.starts) == output.costs.shape[1] == len(output) + 1


@pytest.mark.parametrize("lines", [[], [""], ["  ", "\n"]])
def test_a_text_that_shows_nothing_has_no_pieces(lines: list[str]) -> None:
    output = pieces_of(*lines)
    assert len(output) == len(output.directions) == 0
    assert output.costs.shape == (2, 1)


def test_marks_between_parts_are_no_pieces() -> None:
    whole = WholeText("<p>We left.</p><p>It rained.</p>", ((3, 11), (18, 28)))
    output = output_pieces(whole, SpellingReader(), "en")
    shown = [whole.text[start:end] for start, end in output.places]
    assert shown == ["We", "left", ".", "It", "rained", "."]
    assert list(output.silent) == [False, False, True] * 2


def test_a_part_of_the_pieces_ends_where_sentences_do() -> None:
    output = pieces_of("We left the old house. It rained all day.")
    part = output.part(2, 9)
    assert part.places == output.places[2:9]
    assert np.array_equal(part.directions, output.directions[2:9])
    assert np.array_equal(part.costs[:, 1:-1], output.costs[:, 3:9])
    assert part.starts[[0, -1]].all()
    assert (part.costs[:, [0, -1]] == 0).all()
    assert not output.starts[2]


def test_pieces_are_found_by_place() -> None:
    whole = WholeText.of_lines(["We left.", "", "It rained."])
    output = output_pieces(whole, SpellingReader(), "en")
    assert [output.between(*part) for part in whole.parts] == [(0, 3), (3, 3), (3, 6)]


@pytest.mark.parametrize(
    ("text", "ended"),
    [("Go.", True), ("Go.” ", True), ("去！」", True), ("जाओ।", True), ("he said:", True),
     ("Go", False), ("Go,", False), ("(Go)", False), ("(Go.)", True), ("", False), ("”", False)],
)  # fmt: skip
def test_a_text_may_end_as_sentences_do(text: str, ended: bool) -> None:
    assert ends_marked(text) is ended


def ending(first: str, second: str, segments: tuple[int, int] = (0, 1)) -> np.ndarray:
    """What it costs to end the run of the first of two sentences between two words."""
    text = "Storm hits coast. Roads flooded and closed"
    costs = run_end_costs(pieces_of(text), [first, second], np.array(segments))
    assert (costs[1] == 0).all()
    return np.asarray(costs[0])


def test_a_run_ends_where_its_sentence_would() -> None:
    marked, unmarked = ending("Es stürmt.", "Alles ist nass"), ending("Es stürmt", "Alles ist nass")
    full_stop, between_words = 4, 6
    assert marked[full_stop] < unmarked[full_stop]
    assert marked[between_words] > unmarked[between_words]


def test_lower_case_begins_a_run_where_the_source_has_it() -> None:
    upper, lower = ending("Sturm", "Straßen"), ending("Sturm", "und gesperrt")
    before_lower_case, before_upper_case = 6, 4
    assert upper[before_lower_case] > lower[before_lower_case]
    assert upper[before_upper_case] == lower[before_upper_case]


def test_it_matters_less_where_sentences_of_one_segment_meet() -> None:
    apart, together = ending("Sturm.", "Straßen"), ending("Sturm.", "Straßen", (0, 0))
    assert (together <= apart).all()
    assert together[6] < apart[6]
