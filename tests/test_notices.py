"""What a careful colleague would remark about a test set."""

from isogloss.documents import Collection
from isogloss.notices import notices
from isogloss.sample import load_sample
from isogloss.texts import from_texts

CS = load_sample("cs-en")
SOURCE = [line for document in CS.testset.documents for line in document.source]
REFERENCE = [str(line) for document in CS.testset.documents for line in document.references["ref"]]
STEADY = [str(line) for lines in CS.outputs[0].documents.values() for line in lines]


def collection(source: list[str], reference: list[str], **systems: list[str]) -> Collection:
    return from_texts(source, reference, systems)


def told(*texts: list[str], **systems: list[str]) -> str:
    return " ".join(notices(collection(*texts, **systems)))


def test_swapped_sides_are_noticed() -> None:
    assert "are source and reference swapped" in told(REFERENCE, SOURCE, steady=STEADY)


def test_outputs_that_are_not_translated_are_named() -> None:
    said = told(SOURCE, REFERENCE, steady=STEADY, copied=SOURCE)
    assert "nearer to the source than to the reference: 'copied';" in said
    assert "swapped" not in said


def test_translations_are_no_copies() -> None:
    for name in ("cs-en", "zh-en"):
        assert not any("nearer to the source" in line for line in notices(load_sample(name)))
