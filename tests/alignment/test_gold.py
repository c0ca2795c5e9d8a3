"""Gold links: read, refused with the place of the mistake, and agreed with."""

from pathlib import Path

import pytest

from isogloss.alignment import aer_interval, link_agreement, read_gold
from isogloss.alignment.gold import GoldLinks, LinkAgreement
from isogloss.alignment.pharaoh import read_pharaoh
from isogloss.alignment.texts import read_bitext
from isogloss.errors import FormatError, InputError

PAIRS = [(["das", "alte", "Haus"], ["the", "old", "house"]), (["ja"], ["yes", "indeed"])]


def gold_file(folder: Path, text: str) -> Path:
    path = folder / "gold.txt"
    path.write_text(text)
    return path


def test_sure_and_possible_links_counted_from_one(tmp_path: Path) -> None:
    gold = read_gold(gold_file(tmp_path, "1-1 3-3 2p2 2p3\n1-1 1?2\n"), PAIRS)
    assert gold.first == 1
    first, second = gold.links
    assert first.sure == {(0, 0), (2, 2)}
    assert first.possible == {(0, 0), (2, 2), (1, 1), (1, 2)}
    assert second.sure == {(0, 0)}
    assert second.possible == {(0, 0), (0, 1)}


def test_a_word_0_means_that_words_are_counted_from_0(tmp_path: Path) -> None:
    gold = read_gold(gold_file(tmp_path, "1-1 2-2\n0-0\n"), PAIRS)
    assert gold.first == 0
    assert gold.links[0].sure == {(1, 1), (2, 2)}


def test_the_count_may_be_said(tmp_path: Path) -> None:
    path = gold_file(tmp_path, "1-1\n\n")
    assert read_gold(path, PAIRS, 0).links[0].sure == {(1, 1)}
    assert read_gold(path, PAIRS).links[0].sure == {(0, 0)}


def test_a_link_that_is_sure_once_is_sure(tmp_path: Path) -> None:
    gold = read_gold(gold_file(tmp_path, "1p1 1-1 1p1\n\n"), PAIRS)
    assert gold.links[0].sure == {(0, 0)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1-1\n", r"gold\.txt: has 1 line, there are 2 segment pairs; gold links need one line"),
        ("1-1\n2-1\n", r"gold\.txt:2: a link to source word 2, but the source has 1 word, counted"),
        ("0-3\n\n", r"gold\.txt:1: a link to target word 3, but the target has 3 words"),
        ("1-1 2:2\n\n", r"gold\.txt:1: '2:2' is no gold link; a line looks like"),
    ],
)
def test_mistakes_are_told_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        read_gold(gold_file(tmp_path, text), PAIRS)


def test_precision_recall_and_aer_by_hand(tmp_path: Path) -> None:
    gold = read_gold(gold_file(tmp_path, "1-1 3-3 2p2\n1-1 1p2\n"), PAIRS).links
    # Four links; sure ones found: 0-0 and 0-0; possible ones besides: 1-1; wrong: 0-2.
    found = [((0, 0), (0, 2), (1, 1)), ((0, 0),)]
    agreed = link_agreement(found, gold)
    assert agreed == LinkAgreement(links=4, sure=3, found_sure=2, found_possible=3)
    assert agreed.precision == pytest.approx(3 / 4)
    assert agreed.recall == pytest.approx(2 / 3)
    assert agreed.aer == pytest.approx(1 - 5 / 7)
    low, high = aer_interval(found, gold)
    assert 0 <= low <= 1 - 5 / 7 <= high <= 1


def test_possible_links_cost_nothing_either_way(tmp_path: Path) -> None:
    gold = read_gold(gold_file(tmp_path, "1-1 3-3 2p2\n1-1\n"), PAIRS).links
    for found in ([((0, 0), (1, 1), (2, 2)), ((0, 0),)], [((0, 0), (2, 2)), ((0, 0),)]):
        assert link_agreement(found, gold).aer == 0


def test_a_share_of_nothing_is_none() -> None:
    nothing = LinkAgreement(0, 0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.aer) == (None, None, None)
    with pytest.raises(InputError, match="neither links nor gold links"):
        aer_interval([()], [GoldLinks(frozenset(), frozenset())])


@pytest.mark.parametrize(("pair", "aer"), [("enfr", 0.041), ("roen", 0.207)])
def test_published_links_get_their_published_error(
    pair: str, aer: float, shared_data: Path
) -> None:
    folder = shared_data / "word-alignment"
    if not folder.is_dir():
        pytest.skip(f"no gold links at {folder}")
    pairs = [
        (source.split(), target.split())
        for source, target in read_bitext(folder / f"{pair}.src-tgt")
    ]
    gold = read_gold(folder / f"{pair}.gold", pairs)
    found = read_pharaoh(folder / f"{pair}.awesome-align.out", pairs)
    agreed = link_agreement([one.links for one in found], gold.links)
    assert gold.first == 1
    assert agreed.aer == pytest.approx(aer, abs=0.0005)
