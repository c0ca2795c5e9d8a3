"""The released data set, read and written; chains as JSON lines."""

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from isogloss.cli.main import app
from isogloss.documents import Document, TestSet
from isogloss.errors import FormatError, InputError, MismatchError
from isogloss.formats import write_lines
from isogloss.language import tagger, tokeniser
from isogloss.metrics.consistency import (
    Chain,
    ChainItem,
    Release,
    chain_counts,
    is_release,
    left_out,
    read_chains,
    read_release,
    tagged_chains,
    write_chains,
    write_release,
)
from isogloss.metrics.consistency.chains import answer_line, chains_digest
from isogloss.metrics.consistency.released import (
    parse_chain,
    read_chains_of_any_form,
    read_released_chains,
    token_places,
    write_released_chains,
)
from isogloss.metrics.consistency.tables import ConsistencyCounts

WHEN = datetime(2024, 5, 1, tzinfo=UTC)
LINES = "['州/1/2', '州/5/14', 'state'] \n[\"a/b/0/1\", \"a/b/2/0\", \"women 's day\"]\n"
# repr chooses the quotes by the content, as the release does.
LINES = LINES.replace('["a/b/0/1", "a/b/2/0"', "['a/b/0/1', 'a/b/2/0'")


@pytest.fixture(scope="module")
def ltcr(shared_data: Path) -> Path:
    return shared_data / "ltcr"


@pytest.fixture(scope="module")
def released(ltcr: Path) -> Release:
    return read_release(ltcr)


def test_the_published_counts(released: Release) -> None:
    counts = chain_counts(released.chains)
    assert len(released.testset.documents) == 310
    assert released.testset.segment_count == 5_051
    assert (counts.chains, counts.items, counts.pairs) == (4_240, 12_199, 17_292)
    assert list(counts.by_distance.values()) == [945, 2571, 2013, 1729, 1424, 8610]
    assert counts.several_words == 316
    assert counts.by_part is None
    assert (released.testset.source_language, released.testset.target_language) == ("zh", "en")


def test_parts_of_speech_as_the_paper_has_them_within_two_points(released: Release) -> None:
    """Table 2; its tags are a parser's that no package brings, so a dictionary stands in."""
    zh, en = tagger("zh"), tagger("en")
    assert zh is not None
    assert en is not None
    found = chain_counts(tagged_chains(released, zh, en)).by_part
    assert found == {"NOUN": 14_566, "VERB": 293, "ADJ/ADV": 147, "OTHERS": 2_286}
    printed = {"NOUN": 83.0, "VERB": 1.9, "ADJ/ADV": 0.6, "OTHERS": 14.5}
    shares = {part: 100 * count / 17_292 for part, count in found.items()}
    assert all(abs(shares[part] - printed[part]) < 2 for part in printed)
    by_dictionary = chain_counts(tagged_chains(released, zh)).by_part
    assert by_dictionary is not None
    assert by_dictionary["VERB"] == 1_359


def test_pairs_that_a_data_set_leaves_out_are_of_false_consistency() -> None:
    items = tuple(ChainItem(segment, 0, 0, 1) for segment in range(4))
    everything = Chain("all", "d", "w", "t", items)  # six pairs
    true = Chain("true", "d", "w", "t", (items[0], items[2], items[3]))
    elsewhere = Chain("x", "e", "w", "t", items[:2])
    assert left_out([true], [everything]) == ConsistencyCounts(3, 3)
    assert left_out([true, elsewhere], [everything]) == ConsistencyCounts(4, 3)
    assert left_out([true], []) == ConsistencyCounts(3, 0)


def test_an_annotator_who_slips_has_the_agreement_that_arithmetic_predicts(
    released: Release, tmp_path: Path
) -> None:
    """A gold that calls a tenth of the mentions flexible, and a second annotator who errs in 5 %.

    Of a share .9 that must be alike, .95 are found and .1 · .05 falsely so: F1 is
    2TP / (2TP + FP + FN); chance alone agrees on the products of the margins.
    """
    share, slips = 0.9, 0.05
    rng = np.random.default_rng(11)
    chains = tmp_path / "chains.jsonl"
    write_chains(chains, released.chains)
    gold = {c.id: rng.random(len(c.items)) > share for c in released.chains}
    second = {id: flexible ^ (rng.random(len(flexible)) < slips) for id, flexible in gold.items()}
    files = []
    for name, answers in (("gold", gold), ("second", second)):
        files.append(tmp_path / f"{name}.jsonl")
        lines = (
            answer_line({"chain": id, "flexible": np.flatnonzero(f).tolist()}, name, WHEN)
            for id, f in answers.items()
        )
        write_lines(files[-1], lines)
    told = CliRunner().invoke(app, ["chains", "agree", *map(str, (chains, *files)), "-o", "json"])
    items, pairs = json.loads(told.stdout)["results"]
    assert (items["judged"], pairs["judged"]) == (12_199, 17_292)
    tp, fp, fn = share * (1 - slips), (1 - share) * slips, share * slips
    assert items["F1"] == pytest.approx(2 * tp / (2 * tp + fp + fn), abs=0.006)
    by_chance = share * (tp + fp) + (1 - share) * (1 - tp - fp)
    assert items["kappa"] == pytest.approx((1 - slips - by_chance) / (1 - by_chance), abs=0.03)
    # The chains hold their sentences, so that an annotator needs no other file.
    item = read_chains(chains)[0].items[0]
    assert (item.source or "")[item.start : item.end] == released.chains[0].word
    assert item.target


def test_every_file_is_written_as_it_was_read(ltcr: Path, tmp_path: Path) -> None:
    for path in (ltcr / "res").iterdir():
        write_released_chains(tmp_path / path.name, read_released_chains(path))
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_words_stand_where_the_chains_say(ltcr: Path, released: Release) -> None:
    raw = read_release(ltcr, "raw")
    for given in (released, raw):
        texts = {document.id: document.source for document in given.testset.documents}
        for chain in given.chains:
            for item in chain.items:
                word = texts[chain.document][item.segment][item.start : item.end]
                assert "".join(word.split()) == chain.word


def test_quirks_survive(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LINES, encoding="utf-8")
    chains = read_released_chains(tmp_path / "a.txt")
    assert [chain.tail for chain in chains] == [" ", ""]
    assert chains[1].items[0] == ("a/b", 0, 1)
    assert chains[1].translation == "women 's day"
    write_released_chains(tmp_path / "b.txt", chains)
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == LINES


@pytest.mark.parametrize(
    "line",
    [
        "州/1/2 state",
        "['州/1/2', 'x/1/3', 'state']",
        "['州/a/2', 'state']",
        "['state']",
        "[]",
        "42",
        "['州/1/2', 7]",
        "__import__('os').system('true')",
        "[" * 3000,
    ],
)
def test_a_line_that_is_no_chain_is_named(line: str) -> None:
    with pytest.raises(FormatError, match=r"res.txt:3: .*expected \['word/sentence/token'"):
        parse_chain(line, Path("res.txt"), 3)


def test_tokens_are_found_in_the_text_they_come_from() -> None:
    assert token_places(["一条", "工务", "店"], "一条工 务店") == [(0, 2), (2, 5), (5, 6)]
    assert token_places(["S", "李"], "李") == [None, (0, 1)]


def chain(**changes: object) -> Chain:
    items = (ChainItem(0, 1, 2, 4, ((0, 3),), "一 位医生", "doc"), ChainItem(1, 0, 0, 2))
    return Chain("d:1", "d", "位医", "doctor", items, "NOUN")


def test_chains_as_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "chains.jsonl"
    write_chains(path, [chain()])
    assert read_chains(path) == (chain(),)
    assert read_chains_of_any_form(path) == (chain(),)
    assert chain().without({0}) is None
    assert chains_digest([chain()]) == chains_digest(read_chains(path))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{}", "'items' is missing"),
        ("[1]", "no chain"),
        ("{", "not JSON"),
        ('{"id":"1","document":"d","word":"w","translation":"t","items":[]}', "fewer than two"),
        (
            '{"id":"1","document":"d","word":"w","translation":"t","items":'
            '[{"segment":0,"token":0,"start":2,"end":1}]}',
            "impossible place",
        ),
    ],
)
def test_a_damaged_chain_file_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "chains.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=rf"chains.jsonl:1: .*{complaint}"):
        read_chains(path)


def test_one_chain_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "chains.jsonl"
    write_chains(path, [chain(), chain()])
    with pytest.raises(FormatError, match=r"chains.jsonl:2: chain 'd:1' stands in line 1"):
        read_chains(path)


def small_release(folder: Path) -> Path:
    texts = {"a_token": "一 位 医生 ||| A doctor\n医生 说 ||| The doctor says\n"}
    texts |= {"a_raw": "一位医生 ||| A doctor\n医生说 ||| The doctor says\n"}
    texts |= {"res": "['医生/0/2', '医生/1/0', 'doctor']\n"}
    for name, text in texts.items():
        where = folder / name.replace("a_", "zh2en_")
        where.mkdir(parents=True)
        (where / "test-1.txt").write_text(text, encoding="utf-8")
    return folder


def test_a_release_is_read_and_written(tmp_path: Path) -> None:
    folder = small_release(tmp_path / "small")
    assert is_release(folder)
    assert not is_release(tmp_path)
    found = read_release(folder, "raw")
    assert [item.place for item in found.chains[0].items] == [(0, 2, 4), (1, 0, 2)]
    words = {"一位医生": "一 位 医生", "医生说": "医生 说"}

    class Split:
        name = "split"

        def tokenise(self, text: str):  # type: ignore[no-untyped-def]
            spaced = words[text]
            return [
                token._replace(start=0, end=0)
                for token in tokeniser(None, "space").tokenise(spaced)
            ]

    space = tokeniser(None, "space")
    write_release(tmp_path / "again", found.chains, found.testset, "ref", (Split(), space))
    for path in folder.rglob("*.txt"):
        copy = tmp_path / "again" / path.relative_to(folder)
        assert copy.read_bytes() == path.read_bytes()
    with pytest.raises(MismatchError, match="split the source as it was"):
        write_release(tmp_path / "x", found.chains, found.testset, "ref", (space, space))


def test_a_release_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    folder = small_release(tmp_path / "small")
    (folder / "res" / "test-1.txt").write_text("['医生/0/2', '医生/9/0', 'doctor']\n")
    with pytest.raises(FormatError, match=r"test-1.txt:1: '医生' does not stand where"):
        read_release(folder)
    (folder / "zh2en_token" / "test-1.txt").write_text("没有\n")
    with pytest.raises(FormatError, match=r"test-1.txt:1: no '\|\|\|'"):
        read_release(folder)
    with pytest.raises(FormatError, match="0 folders named"):
        read_release(tmp_path)


def test_a_document_s_id_is_no_way_out_of_the_folder(tmp_path: Path) -> None:
    testset = TestSet("t", "zh", "en", (Document("../../out", ("a",), {"ref": ("b",)}),))
    words = tokeniser(None, "space")
    with pytest.raises(InputError, match="no file can be called like this"):
        write_release(tmp_path / "a" / "b", (), testset, "ref", (words, words))
    assert list(tmp_path.iterdir()) == []


def test_a_chain_of_another_test_set_is_told(tmp_path: Path) -> None:
    testset = TestSet("t", "zh", "en", (Document("d", ("a",), {"ref": ("b",)}),))
    items = (ChainItem(0, 0, 0, 1), ChainItem(0, 0, 0, 1))
    words = tokeniser(None, "space")
    with pytest.raises(MismatchError, match="chain 'c': there is no document 'other'"):
        write_release(
            tmp_path / "a", (Chain("c", "other", "a", "b", items),), testset, "ref", (words, words)
        )


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("[" * 100_000, "brackets are nested too deeply"),
        ("true", "a value is of the wrong kind"),
        ('{"items": 1, "id": "c"}', "a value is of the wrong kind"),
        ('{"items": [{"segment": 1e999}]}', "1e999 is out of range"),
        ('{"items": [{"segment": "x", "token": 0, "start": 0, "end": 1}]}', "'x' is no number"),
    ],
)
def test_damaged_chains_are_told_in_words(line: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "chains.jsonl").write_text(line + "\n")
    with pytest.raises(FormatError, match=complaint) as told:
        read_chains(tmp_path / "chains.jsonl")
    assert told.value.line == 1
