"""Building a data set: segmentation, extraction, annotation, agreement, counts."""

import json
from pathlib import Path

import pytest

from isogloss.documents import Document, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.language import Token, content_words, function_words, normaliser, tokeniser
from isogloss.metrics.consistency import (
    Analyser,
    AnswerFile,
    Chain,
    ChainItem,
    RenderingReader,
    RepairedWords,
    chain_counts,
    consistency_counts,
    disputes,
    extract_chains,
    judged_items,
    read_answers,
    read_repairs,
    true_chains,
    write_disputes,
)
from metrics.consistency.texts import Dictionary


def glued(spaced: str) -> list[Token]:
    """Tokens as a segmenter gives them: one after the other, with no gap."""
    tokens: list[Token] = []
    for word in spaced.split():
        start = tokens[-1].end if tokens else 0
        tokens.append(Token(word, start, start + len(word)))
    return tokens


def test_strings_that_are_split_in_several_ways() -> None:
    document = [glued("美 联储 说"), glued("美联储 又 说"), glued("美联储 说"), glued("联 储")]
    found = disputes({"d": document})
    assert {dispute.text: dispute.ways for dispute in found} == {
        "美联储": ((("美联储",), 2), (("美", "联储"), 1)),
        "联储": ((("联储",), 1), (("联", "储"), 1)),
    }
    assert found[0].proposal == ("美联储",)
    assert found[0].documents == ("d",)


def test_other_documents_and_gaps_make_no_dispute() -> None:
    assert disputes({"a": [glued("美 联储")], "b": [glued("美联储")]}) == ()
    assert disputes({"a": [tokeniser("en").tokenise("white house"), glued("whitehouse")]}) == ()


def test_overlapping_ways_are_found() -> None:
    (found,) = disputes({"d": [glued("中国 人"), glued("中 国人")]})
    assert found.text == "中国人"
    assert found.proposal in {("中国", "人"), ("中", "国人")}


def test_the_edited_list_repairs_the_tokens(tmp_path: Path) -> None:
    path = tmp_path / "segmentation.tsv"
    write_disputes(path, disputes({"d": [glued("美 联储 说"), glued("美联储")]}))
    repairs = read_repairs(path)
    assert repairs == {"美联储": ("美联储",)}

    class Splitting:
        name = "splitting"

        def tokenise(self, text: str) -> list[Token]:
            return glued(" ".join(text))

    repaired = RepairedWords(Splitting(), repairs)
    assert repaired.tokenise("说美联储说") == glued("说 美联储 说")
    assert repaired.name.startswith("splitting+repairs-")
    path.write_text("美联储\t美 联\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"segmentation.tsv:1: '美 联' are not the words of"):
        read_repairs(path)


def extracted() -> tuple[Chain, ...]:
    words = {
        "医生": ["doctor", "doctors", "the"],
        "诊所": ["clinic"],
        "漂浮": ["floating", "clinic"],
    }
    source = ("漂浮 诊所 医生", "医生 诊所", "医生 诊所", "漂浮 医生")
    target = (
        "floating clinic Doctor",
        "the doctor clinic",
        "doctors clinic",
        "floating the doctor",
    )
    tools = Analyser(
        tokeniser(None, "space"),
        tokeniser(None, "space"),
        content_words("zh"),
        RenderingReader(normaliser("en", "surface"), function_words("en")),
        Dictionary(words),
    )
    testset = TestSet("t", "zh", "en", (Document("d", source, {"ref": target}),))
    return extract_chains(testset, "ref", tools)


def test_chains_hold_what_the_reference_translates_alike() -> None:
    chains = extracted()
    told = {(c.word, c.translation): [(i.segment, i.token) for i in c.items] for c in chains}
    # 诊所 of the first segment shares its only word with 漂浮, so it is no translation of its own.
    assert told == {
        ("医生", "doctor"): [(0, 2), (1, 0), (3, 1)],
        ("诊所", "clinic"): [(1, 1), (2, 1)],
    }
    first = chains[0].items[0]
    assert (first.source, first.target) == ("漂浮 诊所 医生", "floating clinic Doctor")
    assert first.target is not None
    assert [first.target[a:b] for a, b in first.targets] == ["Doctor"]
    assert [chain.id for chain in chains] == ["d:1", "d:2"]


def chain(id: str, length: int) -> Chain:
    return Chain(id, "d", "w", "t", tuple(ChainItem(n, 0, 0, 1) for n in range(length)), "NOUN")


CHAINS = (chain("d:1", 3), chain("d:2", 2), chain("d:3", 4))


def test_answers_are_on_disk_at_once_and_can_be_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    file = AnswerFile.opened(path, "ann")
    file.give(CHAINS[0], [2])
    file.give(CHAINS[1], [])
    assert read_answers(path) == {"d:1": {2}, "d:2": frozenset()}
    assert file.undo() == "d:2"
    assert read_answers(path) == {"d:1": {2}}
    again = AnswerFile.opened(path, "ann")
    assert again.undo() == "d:1"
    assert again.undo() is None
    assert read_answers(path) == {}
    again.give(CHAINS[0], [0])
    again.give(CHAINS[0], [1])  # a second thought replaces the first
    assert read_answers(path) == {"d:1": {1}}
    with pytest.raises(InputError, match="no such items"):
        again.give(CHAINS[1], [2])
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {record["annotator"] for record in records} == {"ann"}


def test_a_line_cut_off_by_a_crash_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    AnswerFile.opened(path, "ann").give(CHAINS[0], [2])
    with path.open("a", encoding="utf-8") as file:
        file.write('{"chain": "d:2", "flex')
    assert read_answers(path) == {"d:1": {2}}
    AnswerFile.opened(path, "ann").give(CHAINS[1], [0])
    assert read_answers(path) == {"d:1": {2}, "d:2": {0}}


def test_a_damaged_answer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"chain": "d:1"}\n', encoding="utf-8")
    with pytest.raises(FormatError, match=r"answers.jsonl:1: no answer"):
        read_answers(path)


def test_what_two_annotators_said() -> None:
    one = {"d:1": frozenset({2}), "d:2": frozenset[int](), "d:3": frozenset[int]()}
    two = {"d:1": frozenset[int](), "d:2": frozenset[int]()}
    items, pairs = judged_items(CHAINS, one, two)
    assert items == [(True, True), (True, True), (False, True), (True, True), (True, True)]
    assert pairs == [(True, True), (False, True), (False, True), (True, True)]


def test_table_one_counts_pairs() -> None:
    answers = {"d:1": frozenset({2}), "d:2": frozenset({0})}
    counts = consistency_counts(CHAINS, answers)
    assert (counts.true_pairs, counts.false_pairs) == (1, 3)
    kept = true_chains(CHAINS, answers)
    assert [(c.id, len(c.items)) for c in kept] == [("d:1", 2)]
    told = chain_counts(CHAINS)
    assert told.by_part == {"NOUN": 10, "VERB": 0, "ADJ/ADV": 0, "OTHERS": 0}
    assert told.by_distance == {"0": 0, "1": 6, "2": 3, "3": 1, "4": 0, ">=5": 0}
