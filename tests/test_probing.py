"""The paper's analyses, against the same numbers computed one by one."""

from statistics import fmean

import pytest
import sacrebleu

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import NotApplicableError
from isogloss.model import Pair, Paraphraser
from isogloss.probing import probe
from model.tiny_models import TinyModel, tiny_model

REFERENCE = ("the house and the cat", "a dog ran", "the red house")
SECOND = ("a house and a cat", None, "the house is red")
OUTPUT = ("the house and the cat", "a blue cat", "the red house")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModel:
    return tiny_model(tmp_path_factory.mktemp("models") / "tiny")


def collection() -> Collection:
    document = Document("a", ("x", "y", "z"), {"r": REFERENCE, "q": SECOND})
    testset = TestSet("t", "de", "en", (document,))
    return Collection(testset, (SystemOutput("s", {"a": OUTPUT}),))


def test_the_analyses(tiny: TinyModel) -> None:
    paraphraser = Paraphraser.load(tiny.folder)
    found = probe(paraphraser, collection(), sentences=2, beam=2)

    def mean_h(condition: str, target: str) -> float:
        return fmean(tiny.log_probs(Pair(condition, target, "en", "en")))

    assert found.sentences == 2
    assert found.copy == pytest.approx(fmean(mean_h(r, r) for r in REFERENCE[:2]), abs=1e-4)
    assert found.human == pytest.approx(mean_h(REFERENCE[0], SECOND[0] or ""), abs=1e-4)
    bleu = [sacrebleu.sentence_bleu(o, [r]).score for o, r in zip(OUTPUT, REFERENCE, strict=True)]
    assert bleu[0] == pytest.approx(100)
    assert [b.segments for b in found.bins if b.segments] == [1, 2]
    last = found.bins[-1]
    expected = fmean([mean_h(REFERENCE[0], OUTPUT[0]), mean_h(REFERENCE[2], OUTPUT[2])])
    assert (last.low, last.high) == (90.0, 100.0)
    assert last.mean == pytest.approx(expected, abs=1e-4)
    assert 0 <= found.beam_bleu <= 100


def test_a_probe_needs_a_reference_and_a_language(tiny: TinyModel) -> None:
    paraphraser = Paraphraser.load(tiny.folder)
    with pytest.raises(NotApplicableError, match="needs a reference and the target language"):
        probe(paraphraser, collection().with_references([]))
