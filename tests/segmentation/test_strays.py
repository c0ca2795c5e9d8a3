"""What a second look makes of a match in which something is known to be wrong."""

from itertools import pairwise

import pytest

from isogloss.documents import Document
from isogloss.segmentation.anchors import Passage
from isogloss.segmentation.closeness import Closeness
from isogloss.segmentation.matching import Pairing, Run
from isogloss.segmentation.outputs import OutputPieces, output_pieces
from isogloss.segmentation.readers import ModelReader
from isogloss.segmentation.sources import SourceText, read_source
from isogloss.segmentation.strays import settled
from isogloss.wholes import WholeText

SOURCE = (
    "Der schwere Sturm erreichte am Montag die Küste.",
    "Mehrere Straßen der Stadt wurden überflutet.",
    "Die Feuerwehr rettete zwölf Menschen, und die Polizei sperrte den Hafen ab.",
    "Am späten Abend ließ der Wind endlich nach.",
    "Der Bürgermeister dankte allen Helfern.",
)
TRANSLATION = (
    "The heavy storm reached the coast on Monday.",
    "Several roads in the city were flooded.",
    "The fire brigade rescued twelve people.",
    "The police closed off the harbour.",
    "Late in the evening the wind finally dropped.",
    "The mayor thanked all the helpers.",
)
IN_ORDER = (0, 1, 2, 3, 4, 5)


@pytest.fixture(scope="module")
def source(model_reader: ModelReader) -> SourceText:
    return read_source(Document("storm", SOURCE), model_reader, "de", "en")


def read(reader: ModelReader, order: tuple[int, ...]) -> tuple[OutputPieces, list[Run]]:
    """The translation in some order, and the run of each of its sentences, by their numbers."""
    text = " ".join(TRANSLATION[number] for number in order)
    output = output_pieces(WholeText.of_lines([text]), reader, "en")
    edges = output.sentence_edges(0, len(output))
    runs = dict(zip(order, pairwise(edges), strict=True))
    return output, [runs[number] for number in sorted(order)]


def right(runs: list[Run]) -> list[Run]:
    """The run of each sentence of the source."""
    return [*runs[:2], (runs[2][0], runs[3][1]), *runs[4:]]


def test_what_is_right_stays(source: SourceText, model_reader: ModelReader) -> None:
    output, runs = read(model_reader, IN_ORDER)
    match = Pairing(tuple(right(runs)), ())
    assert settled(match, source, output) == match


def test_half_of_a_rendering_is_not_added(source: SourceText, model_reader: ModelReader) -> None:
    output, runs = read(model_reader, IN_ORDER)
    for half, other in ((2, 3), (3, 2)):
        match = Pairing((*runs[:2], runs[half], *runs[4:]), (runs[other],))
        found = settled(match, source, output)
        assert (found.runs, found.added, found.strangers) == (tuple(right(runs)), (), frozenset())


def test_what_stands_where_it_should_was_not_moved(
    source: SourceText, model_reader: ModelReader
) -> None:
    output, runs = read(model_reader, IN_ORDER)
    passed = list(right(runs))
    passed[1] = runs[1][0], runs[1][0]
    found = settled(Pairing(tuple(passed), (runs[1],)), source, output)
    assert found == Pairing(tuple(right(runs)), ())


def test_what_stands_elsewhere_was_moved(source: SourceText, model_reader: ModelReader) -> None:
    output, runs = read(model_reader, (0, 2, 3, 4, 5, 1))
    passed = list(right(runs))
    passed[1] = runs[2][0], runs[2][0]
    found = settled(Pairing(tuple(passed), (runs[1],)), source, output)
    assert found == Pairing(tuple(right(runs)), (), moved=frozenset([1]))


def test_a_run_that_is_too_long_for_one_is_shared(
    source: SourceText, model_reader: ModelReader
) -> None:
    output, runs = read(model_reader, IN_ORDER)
    greedy = list(right(runs))
    greedy[0], greedy[1] = (0, 0), (0, runs[1][1])
    found = settled(Pairing(tuple(greedy), ()), source, output)
    assert found == Pairing(tuple(right(runs)), ())


def test_a_sentence_that_was_left_out_gets_no_share(
    source: SourceText, model_reader: ModelReader
) -> None:
    output, runs = read(model_reader, (1, 2, 3, 4, 5))
    edges = [(0, 0), runs[0], (runs[1][0], runs[2][1]), *runs[3:]]
    match = Pairing(tuple(edges), ())
    assert settled(match, source, output) == match


def test_strangers_are_told(source: SourceText, model_reader: ModelReader) -> None:
    output, runs = read(model_reader, (0, 4, 2, 3, 1, 5))
    swapped = right(runs)
    swapped[1], swapped[3] = swapped[3], swapped[1]
    found = settled(Pairing(tuple(swapped), ()), source, output)
    assert found.strangers == {1, 3}


def test_spelling_cannot_tell(source: SourceText, model_reader: ModelReader) -> None:
    output, runs = read(model_reader, (0, 4, 2, 3, 1, 5))
    unknowing = SourceText(source.sentences, source.stack, (), knows_meaning=False)
    match = Pairing(tuple(right(runs)), ())
    assert settled(match, unknowing, output) is match


def test_closeness_is_about_one_of_pairs_and_none_of_strangers(
    source: SourceText, model_reader: ModelReader
) -> None:
    output, runs = read(model_reader, IN_ORDER)
    pairs = [Passage((n, n + 1), run) for n, run in enumerate(right(runs))]
    closeness = Closeness(source, output, pairs)
    known = closeness.of_known()
    assert list(known) == pairs
    assert all(close is not None and 0.5 < close < 2 for close in known.values())
    for passage in pairs:
        assert closeness.of(passage) == pytest.approx(known[passage])
        for other in pairs:
            strange = closeness.of(Passage(passage.sentences, other.pieces))
            assert other == passage or (strange is not None and strange < 0.3)
    short = Passage((0, 1), (runs[0][0], runs[0][0] + 3))
    assert closeness.of(short) is None, "three pieces tell nothing"
