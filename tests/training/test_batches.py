"""Batches hold whole examples and consecutive rows, and depend on their number alone."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.training.batches import IGNORED, Batch, BatchSettings, Noise, make_batch
from isogloss.training.examples import Examples, ExampleSettings, Mixture, MixtureSettings
from isogloss.training.packing import open_packed
from isogloss.training.vocabulary import END, UNKNOWN, Vocabulary

_TAGS = ("de", "en", "fr")


def _batch(numbers: Path, number: int = 0, **changes) -> tuple[Batch, Vocabulary]:
    vocabulary = Vocabulary(numbers / "sentencepiece.model")
    mixture = Mixture([open_packed(numbers / "packed" / "numbers")], MixtureSettings())
    options = {"noise_share": 0.0} | changes
    shares = {name: options.pop(name, 0.0) for name in ("document_share", "paragraph_share")}
    settings = BatchSettings(1024, 1024, ExampleSettings(64, **shares), **options)
    examples = Examples(mixture, settings.examples)
    tags = vocabulary.tags(_TAGS)
    return make_batch(examples, settings, vocabulary.spelling(), tags, 3, number), vocabulary


def _sequences(batch: Batch) -> list[tuple[list[int], list[int], list[int]]]:
    """Source, target and labels of every real sequence."""
    found = []
    for index in range(len(batch.source_bounds) - 1):
        source = slice(*batch.source_bounds[index : index + 2])
        target = slice(*batch.target_bounds[index : index + 2])
        labels = batch.labels[target].tolist()
        if any(label != IGNORED for label in labels):
            found.append((batch.source[source].tolist(), batch.target[target].tolist(), labels))
    return found


def _table(numbers: Path) -> list[list[str]]:
    lines = (numbers / "numbers.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def test_every_example_is_a_pair_of_the_data(numbers: Path) -> None:
    batch, vocabulary = _batch(numbers)
    column = {vocabulary.tag("en"): 0, vocabulary.tag("de"): 1, vocabulary.tag("fr"): 2}
    rows = _table(numbers)
    targets = [{row[index]: row for row in rows} for index in range(3)]
    sequences = _sequences(batch)
    assert len(sequences) > 20
    for source, target, labels in sequences:
        assert source[-1] == END
        assert target[0] == END
        assert labels == [IGNORED, *target[2:], END]
        text = vocabulary.pieces.decode(target[2:])
        row = targets[column[target[1]]][text]
        assert vocabulary.pieces.decode(source[:-1]) in row
        assert vocabulary.pieces.decode(source[:-1]) != text


def test_buffers_are_full_and_positions_begin_at_zero(numbers: Path) -> None:
    batch, _ = _batch(numbers)
    for ids, positions, bounds in (
        (batch.source, batch.source_positions, batch.source_bounds),
        (batch.target, batch.target_positions, batch.target_bounds),
    ):
        assert len(ids) == len(positions) == bounds[-1] == 1024
        lengths = np.diff(bounds)
        assert lengths.min() >= 1
        assert lengths.max() <= 64
        assert (positions[bounds[:-1]] == 0).all()
        assert (positions[bounds[1:] - 1] == lengths - 1).all()
    assert len(batch.source_bounds) == len(batch.target_bounds)


def test_documents_are_consecutive_rows_of_one_block(numbers: Path) -> None:
    batch, vocabulary = _batch(numbers, document_share=1.0)
    rows = _table(numbers)
    places = {row[0]: number for number, row in enumerate(rows)}
    documents = 0
    for _, target, _ in _sequences(batch):
        if target[1] != vocabulary.tag("en"):
            continue
        text = vocabulary.pieces.decode(target[2:])
        found = [places[sentence.strip()] for sentence in text.split("<sep>")]
        assert found == list(range(found[0], found[0] + len(found)))
        assert found[0] // 8 == found[-1] // 8
        documents += 1
        assert len(found) in (2, 3)
    assert documents > 3


def test_a_batch_depends_on_its_number_alone(numbers: Path) -> None:
    first, again, other = (_batch(numbers, number)[0] for number in (5, 5, 6))
    assert np.array_equal(first.source, again.source)
    assert np.array_equal(first.labels, again.labels)
    assert not np.array_equal(first.source, other.source)


def test_noise_touches_sources_only(numbers: Path) -> None:
    clean, _ = _batch(numbers)
    noisy, _ = _batch(numbers, noise_share=1.0)
    pairs = zip(_sequences(clean), _sequences(noisy), strict=False)
    changed = [one[0] != two[0] for one, two in pairs if one[1] == two[1]]
    assert np.mean(changed) > 0.3
    assert all(source[-1] == END for source, _, _ in _sequences(noisy))


@pytest.mark.parametrize("variant", ["language-model", "denoising"])
def test_contrastive_variants(numbers: Path, variant: str) -> None:
    batch, _ = _batch(numbers, variant=variant)
    for source, target, _ in _sequences(batch):
        if variant == "language-model":
            assert source == [END]
        else:
            pieces = set(source) - {END, 0}
            assert pieces <= set(target)


def test_temperature_levels_targets(numbers: Path) -> None:
    packed = open_packed(numbers / "packed" / "numbers")
    plain = Mixture([packed], MixtureSettings(target_temperature=1.0)).target_shares()
    level = Mixture([packed], MixtureSettings(target_temperature=1000.0)).target_shares()
    boosted = Mixture([packed], MixtureSettings(target_boosts={"fr": 3.0})).target_shares()
    assert plain["fr"] == pytest.approx(1800 / 5800)
    assert level["fr"] == pytest.approx(1 / 3, abs=1e-3)
    assert boosted["fr"] > 1.8 * plain["fr"]
    assert sum(boosted.values()) == pytest.approx(1)


def test_a_set_weighs_what_it_is_told(numbers: Path) -> None:
    settings = MixtureSettings(set_weights={"llm_*": 0.3, "numbers": 0.5})
    assert settings.set_weight("llm_courses") == 0.3
    assert settings.set_weight("numbers") == 0.5
    assert settings.set_weight("europarl") == 1.0


def test_paragraphs_are_consecutive_rows_joined_by_a_space(numbers: Path) -> None:
    batch, vocabulary = _batch(numbers, paragraph_share=1.0)
    rows = [row[0] for row in _table(numbers)]
    whole = " ".join(rows)
    lengths = []
    for _, target, _ in _sequences(batch):
        if target[1] == vocabulary.tag("en"):
            text = vocabulary.pieces.decode(target[2:])
            assert text in whole
            assert vocabulary.pieces.encode(text) == target[2:]
            lengths.append(len(text.split()))
    assert np.mean(lengths) > 10


def test_the_decoder_forgets_without_losing_labels(numbers: Path) -> None:
    clean, _ = _batch(numbers)
    forgetful, _ = _batch(numbers, forgotten=0.3)
    assert np.array_equal(clean.labels, forgetful.labels)
    assert np.array_equal(clean.source, forgetful.source)
    changed = clean.target != forgetful.target
    assert (forgetful.target[changed] == UNKNOWN).all()
    assert (clean.target_positions[changed] >= 2).all()
    pieces = (clean.labels >= 0) & (clean.labels != END)
    assert 0.2 < changed.sum() / pieces.sum() < 0.4


def test_split_pieces_spell_the_same_text(numbers: Path) -> None:
    split = Noise(0.0, 0.0, 0.0, split=1.0)
    clean, vocabulary = _batch(numbers)
    noisy, _ = _batch(numbers, noise_share=1.0, noise=split)
    pairs = list(zip(_sequences(clean), _sequences(noisy), strict=False))
    assert len(pairs) > 10
    for (source, *_), (respelt, *_) in pairs:
        assert vocabulary.pieces.decode(respelt) == vocabulary.pieces.decode(source)
    assert any(len(respelt) > len(source) for (source, *_), (respelt, *_) in pairs)
