"""Errors made in known places: what breaks, what is marked, and what a tiny model learns of it."""

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from isogloss.errors import InputError
from isogloss.model import DEFAULT_MODEL, find_model
from isogloss.training import checkpoints
from isogloss.training.alternatives import translation_set
from isogloss.training.batches import BatchSettings
from isogloss.training.commands import main
from isogloss.training.examples import ExampleSettings
from isogloss.training.judged_batches import (
    RIGHT,
    UNKNOWN,
    WRONG,
    JudgedSettings,
    Pass,
    SegmentSource,
    judged_batches,
)
from isogloss.training.judged_trainer import JudgedTrainer, JudgedTrainSettings
from isogloss.training.losses import AgreementLoss, mark_loss
from isogloss.training.made_errors import ErrorMaker, PieceKinds
from isogloss.training.model import ModelSettings, Transformer
from isogloss.training.optimiser import Budget, Schedule
from isogloss.training.packing import PackedFolder
from isogloss.training.penalties import PenaltySet, penalties, penalty_set, read_penalties
from isogloss.training.trainer import LOG
from isogloss.training.vocabulary import Vocabulary

_SIZES = BatchSettings(2048, 2048, ExampleSettings(64))
_TINY = ModelSettings(
    vocabulary=318, width=32, inner=64, heads=2, encoder_layers=1, decoder_layers=1,
    longest=64, dropout=0.0,
)  # fmt: skip
SHIPPED = find_model(DEFAULT_MODEL) / "sentencepiece.model"


@pytest.fixture(scope="module")
def shipped() -> Vocabulary:
    return Vocabulary(SHIPPED)


@pytest.fixture(scope="module")
def kinds(shipped: Vocabulary) -> PieceKinds:
    return PieceKinds.of(shipped)


class _Text:
    """A text as pieces, with the same alternative everywhere."""

    def __init__(self, vocabulary: Vocabulary, text: str, other: str = "house") -> None:
        self.vocabulary = vocabulary
        self.ids = np.array(vocabulary.encode([text])[0])
        self.others = np.full((1, len(self.ids)), vocabulary.encode([other])[0][0])

    def said(self, ids: np.ndarray) -> str:
        return str(self.vocabulary.pieces.decode(ids.tolist()))


def _maker(kinds: PieceKinds, vocabulary: Vocabulary, language: str, seed: int = 1) -> ErrorMaker:
    return ErrorMaker(kinds, vocabulary.tag(language), np.random.default_rng(seed))


def _all_ways(maker: ErrorMaker, text: _Text, tries: int = 300) -> dict[str, tuple[str, str]]:
    """Broken texts, each with the words marked wrong and those missing of the original."""
    foreign = np.array(text.vocabulary.encode(["drei kleine Worte bleiben"])[0])
    found = {}
    for _ in range(tries):
        broken = maker.broken(text.ids, text.others, foreign, 1)
        if broken is not None:
            wrong, missing = broken.ids[broken.wrong], text.ids[broken.missing]
            found[text.said(broken.ids)] = (text.said(wrong), text.said(missing))
    return found


def test_errors_are_marked_where_they_are(shipped: Vocabulary, kinds: PieceKinds) -> None:
    text = _Text(shipped, "The committee was ready to accept 12 of them.")
    found = _all_ways(_maker(kinds, shipped, "en"), text)
    replaced = found["The house was ready to accept 12 of them."]
    assert replaced == ("house", "committee")
    negated = found["The committee was not ready to accept 12 of them."]
    assert negated == ("not", "")
    assert any(text.startswith("The committee was ready to accept 1") for text in found)
    numbers = {wrong for wrong, missing in found.values() if missing == "12"}
    assert any(word.isdecimal() and word != "12" for word in numbers)
    dropped = [missing for wrong, missing in found.values() if not wrong]
    assert "ready" in " ".join(dropped)
    assert "The committee was ready to accept 12 of them." not in found


@pytest.mark.parametrize(
    ("language", "text", "turned"),
    [
        ("de", "Das ist nicht wahr.", "Das ist wahr."),
        ("de", "Sie hat eine Idee.", "Sie hat keine Idee."),
        ("ru", "Он был дома.", "Он не был дома."),
        ("zh", "他们可以来。", "他们不可以来。"),
    ],
)
def test_negation_goes_in_and_out(
    shipped: Vocabulary, kinds: PieceKinds, language: str, text: str, turned: str
) -> None:
    assert turned in _all_ways(_maker(kinds, shipped, language), _Text(shipped, text))


def test_several_errors_cost_more(shipped: Vocabulary, kinds: PieceKinds) -> None:
    text = _Text(shipped, "Many people from several countries visited the museum last summer.")
    maker = _maker(kinds, shipped, "en")
    nothing = np.empty(0, np.int64)
    few = [maker.broken(text.ids, text.others, nothing, 1) for _ in range(40)]
    many = [maker.broken(text.ids, text.others, nothing, 4) for _ in range(40)]
    points = [np.mean([one.points for one in some if one]) for some in (few, many)]
    assert points[1] > 2 * points[0]
    for one in (*few, *many):
        assert one is not None
        assert one.points > 0
        assert len(one.ids) == len(one.wrong)
        # What is neither wrong nor missing is the same in both, in the same order.
        np.testing.assert_array_equal(one.ids[~one.wrong], text.ids[~one.missing])


def _paragraphs(shipped: Vocabulary, language: str = "en") -> PenaltySet:
    words = {"en": ("The cat sat on mat {}.", "A cat was on mat {}."),
             "zh": ("猫坐在垫子{}上。", "一只猫在垫子{}上。")}[language]  # fmt: skip
    rows = [
        (f"Die Katze saß auf {n}.", [words[0].format(n)], [words[1].format(n), "Dog."], [0.0, 6.0])
        for n in range(10, 22)
    ]
    found = penalty_set("cats", language, rows, np.array([False, False]), shipped)
    return replace(found, alternatives=np.stack([np.roll(found.ids, 5), np.roll(found.ids, 9)]))


def test_broken_copies_stand_beside_outputs(shipped: Vocabulary, kinds: PieceKinds) -> None:
    settings = JudgedSettings(_SIZES, broken=3, passes=2)
    source = SegmentSource([_paragraphs(shipped)], settings, [shipped.tag("en")], kinds, 1)
    stream = source.endless()
    segments = [next(stream) for _ in range(30)]
    copies = [one for segment in segments for one in segment.outputs[2:]]
    assert len(copies) > 60
    of_reference = [one for one in copies if (one.reference.marks != UNKNOWN).all()]
    assert 0.15 < len(of_reference) / len(copies) < 0.6
    for one in copies:
        assert one.penalty >= 1
        assert set(one.output.marks.tolist()) <= {RIGHT, WRONG}
    assert any(WRONG in one.reference.marks for one in of_reference)
    natural = [one for segment in segments for one in segment.outputs[:2]]
    assert {one.penalty for one in natural} == {0.0, 6.0}
    assert {m for one in natural if one.penalty for m in one.output.marks.tolist()} == {UNKNOWN}
    whole = replace(settings, whole=("ca*",))
    stream = SegmentSource([_paragraphs(shipped)], whole, [shipped.tag("en")], kinds, 1).endless()
    copies = [one for _ in range(30) for one in next(stream).outputs[2:]]
    assert all((one.reference.marks == UNKNOWN).all() for one in copies)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_paragraphs_are_sums(shipped: Vocabulary, kinds: PieceKinds, language: str) -> None:
    cats = _paragraphs(shipped, language)
    settings = JudgedSettings(_SIZES, joined=1.0, passes=2)
    stream = SegmentSource([cats], settings, [shipped.tag(language)], kinds, 1).endless()
    seen = set()
    for _ in range(20):
        segment = next(stream)
        text = str(shipped.pieces.decode(segment.outputs[0].reference.ids.tolist()))
        sentences = text.count("." if language == "en" else "。")
        seen.add(sentences)
        penalties = sorted(one.penalty for one in segment.outputs)
        assert penalties == [0.0, 6.0 * sentences]
        if language == "zh":
            assert "。 " not in text
        else:
            assert text.count(". The") == sentences - 1
    assert seen <= {1, 2, 3, 4}  # the last segments have no next ones
    assert len(seen) > 2
    settings = replace(settings, joined=0.0)
    alone = SegmentSource([cats], settings, [7], kinds, 1).endless()
    assert {one.penalty for _ in range(9) for one in next(alone).outputs} == {0.0, 6.0}


def test_marks_lie_where_the_pieces_lie(shipped: Vocabulary, kinds: PieceKinds) -> None:
    settings = JudgedSettings(_SIZES, broken=2, passes=2)
    batch = next(judged_batches([_paragraphs(shipped)], settings, [(7, 9)], 1, kinds))
    bounds = batch.batch.target_bounds[: len(batch.passes) + 1].astype(int)
    assert set(batch.passes) == {0, 1}
    tags = batch.batch.target[bounds[:-1] + 1]
    assert set(tags[batch.passes == Pass.OUTPUT_GIVEN_REFERENCE]) == {7}
    assert set(tags[batch.passes == Pass.REFERENCE_GIVEN_OUTPUT]) == {9}
    marked = np.flatnonzero(batch.marks >= 0)
    assert (batch.batch.target_positions[marked] >= 2).all()
    assert (batch.batch.labels[marked] >= 0).all()
    assert WRONG in batch.marks


def test_the_loss_of_marks() -> None:
    marks = torch.tensor([1, 0, -1], dtype=torch.int8)

    def of(*costs: float) -> float:
        return float(mark_loss(torch.tensor(costs), marks))

    assert of(5.0, 0.01, 9.0) == of(5.0, 0.01, 0.0) < of(0.1, 0.01, 0.0)
    assert of(5.0, 0.01, 0.0) < of(5.0, 2.0, 0.0)
    assert of(4.0, 1.0, 0.0) == pytest.approx((-np.log(1 - np.exp(-2)) + 0.5) / 2, rel=1e-4)
    costs = torch.tensor([0.0, 0.0], requires_grad=True)
    mark_loss(costs, torch.tensor([1, 1])).backward()
    assert torch.isfinite(costs.grad).all()


def test_sizes_count_where_there_are_any() -> None:
    loss = AgreementLoss(1, ranking=0.0)
    none, first = torch.tensor([False, False]), torch.tensor([True, False])
    same = torch.zeros(2, dtype=torch.long)

    def of(sized: torch.Tensor, *predicted: float) -> float:
        penalties = torch.tensor([1.0, 9.0])
        return float(loss(torch.tensor(predicted), penalties, same, same, sized).detach())

    assert of(none, 0.0, 0.0) == of(none, 5.0, 50.0) == 0.0
    assert of(first, 1.0, 50.0) == pytest.approx(0.0, abs=1e-9)
    assert of(first, 4.0, 9.0) > 0.1


def test_comparisons_become_an_order() -> None:
    found = penalties([(0, 1), (1, 2), (0, 2), (0, 2)], 4)
    assert found[0] == 0.0 < found[1] < found[2]
    assert np.isnan(found[3])


def _comparison_set(folder: Path) -> Path:
    folder.mkdir(parents=True)
    tables = {
        "segs": ["domain\tdoc\tsrc\tref:A", "n\td\teins\tone", "n\td\tzwei\ttwo"],
        "hyps": ["x\ty", "one\tzero", "zero\t\\N"],
        "human.darr": ["seg\tbetter\tworse", "0\tx\ty"],
    }
    for name, lines in tables.items():
        with lzma.open(folder / f"{name}.tsv.xz", "wt", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return folder


def test_comparisons_of_a_test_set(numbers: Path, tmp_path: Path, capsys) -> None:
    spm, out = str(numbers / "sentencepiece.model"), tmp_path / "penalties"
    testset = _comparison_set(tmp_path / "campaign" / "de-en")
    main(["comparisons", str(testset), "--vocabulary", spm, "--out", str(out)])
    assert "campaign.de-en: 2 compared outputs of 1 segments" in capsys.readouterr().out
    (found,) = read_penalties(out)
    assert not found.sized
    assert found.penalties[0].tolist() == pytest.approx([0.0, 5.0])
    with pytest.raises(InputError, match=r"need segs, hyps and human\.darr"):
        main(["comparisons", str(tmp_path), "--vocabulary", spm, "--out", str(out)])


def test_translations_are_outputs_without_error(numbers: Path) -> None:
    sets = PackedFolder(numbers / "packed").sets
    found = translation_set(sets, "de", "en", 50, fewest=4)
    assert (found.name, found.language, found.reference_language) == ("made.de-en", "en", "de")
    assert len(found) == 50
    assert not found.penalties.any()
    pieces = Vocabulary(numbers / "sentencepiece.model").pieces
    german, english = (
        str(pieces.decode(found.ids[found.place(int(texts[7, 0]))].tolist())).split()
        for texts in (found.references, found.outputs)
    )
    words = dict(zip(["null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht",
                      "neun"], ["zero", "one", "two", "three", "four", "five", "six", "seven",
                                "eight", "nine"], strict=True))  # fmt: skip
    assert [words[word] for word in german] == english
    with pytest.raises(InputError, match="has the direction de-ja"):
        translation_set(sets, "de", "ja", 50)


@pytest.fixture(scope="module")
def sampled(numbers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Translations of number words with alternatives, through the steps of the command line."""
    folder = tmp_path_factory.mktemp("made")
    torch.manual_seed(3)
    content = {"settings": _TINY.described(), "weights": Transformer(_TINY).state_dict()}
    checkpoints.save(folder / "initial.pt", content)
    spm = str(numbers / "sentencepiece.model")
    main(["translations", "--packed", str(numbers / "packed"), "--out", str(folder / "raw"),
          "--directions", "de-en=200,fr-en=100", "--fewest", "4"])  # fmt: skip
    main(["alternatives", "--initial", str(folder / "initial.pt"), "--vocabulary", spm,
          "--penalties", str(folder / "raw"), "--out", str(folder / "penalties"),
          "--tokens", "1024", "--margin", "20"])  # fmt: skip
    return folder


def test_alternatives_are_other_words(sampled: Path, numbers: Path) -> None:
    kinds = PieceKinds.of(Vocabulary(numbers / "sentencepiece.model"))
    german, french = read_penalties(sampled / "penalties")
    assert (german.name, french.name) == ("made.de-en", "made.fr-en")
    assert german.alternatives is not None
    assert german.alternatives.shape == (2, len(german.ids))
    outputs = np.concatenate([np.arange(len(german.ids))[german.place(int(t))]
                              for t in german.outputs[:, 0]])  # fmt: skip
    before, after = german.ids[outputs], german.alternatives[:, outputs]
    assert (after != before).mean() > 0.95
    np.testing.assert_array_equal(kinds.classes[after[0]], kinds.classes[before])
    assert (after[0] != after[1]).mean() > 0.2


def _trainer(sampled: Path, numbers: Path, out: Path, marks: float) -> JudgedTrainer:
    settings = JudgedTrainSettings(
        sampled / "initial.pt",
        sampled / "penalties",
        numbers / "sentencepiece.model",
        out,
        Budget(steps=60),
        JudgedSettings(_SIZES, broken=2, passes=2),
        schedule=Schedule(5, 0.0),
        rate=3e-3,
        head_rate=3e-2,
        ranking=0.0,
        kept_tokens=100,
        marks=marks,
        log_every=10,
    )
    return JudgedTrainer(settings)


def test_marks_teach_where_errors_are(sampled: Path, numbers: Path, tmp_path: Path) -> None:
    def last(marks: float) -> float:
        _trainer(sampled, numbers, tmp_path / str(marks), marks).run()
        lines = (tmp_path / str(marks) / LOG).read_text().splitlines()
        return float(json.loads(lines[-1])["marks"])

    assert last(20.0) < 0.9 * last(0.0)


def test_a_head_that_was_not_trained_borrows(sampled: Path, numbers: Path, tmp_path: Path) -> None:
    trainer = _trainer(sampled, numbers, tmp_path, 20.0)
    trainer.run()
    head = trainer.heads.weight.detach()
    assert head[Pass.OUTPUT_GIVEN_REFERENCE].abs().sum() > 0
    torch.testing.assert_close(head[Pass.OUTPUT_GIVEN_SOURCE], head[Pass.OUTPUT_GIVEN_REFERENCE])
