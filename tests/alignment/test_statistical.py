"""Statistical aligners: what they find, and that they find it again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from alignment.toy_bitext import toy_bitext
from isogloss.alignment import SegmentAlignment, TokenPair, aligner, statistical
from isogloss.alignment.statistical import StatisticalAligner
from isogloss.alignment.thot import LONGEST, Numbering
from isogloss.errors import FormatError, InputError
from isogloss.language import normaliser
from isogloss.runtime import Runtime

PAIRS, TRUTH = toy_bitext(40)


def right(found: list[SegmentAlignment]) -> float:
    """The share of true links among all links, found and true."""
    both = sum(len(set(one.links) & set(true)) for one, true in zip(found, TRUTH, strict=True))
    return (
        2 * both / sum(len(one.links) + len(true) for one, true in zip(found, TRUTH, strict=True))
    )


@pytest.mark.parametrize(
    ("name", "least"), [("eflomal", 0.99), ("hmm", 0.9), ("ibm4", 0.8), ("fast-align", 0.8)]
)
def test_the_words_of_a_toy_language_are_found(name: str, least: float) -> None:
    found = aligner(name).align(PAIRS)
    assert right(found) >= least
    assert all(0 <= score <= 1 for one in found for score in one.scores or ())
    assert aligner(name).align(PAIRS) == found


def test_another_process_finds_the_same() -> None:
    program = (
        "import sys, json\n"
        "from alignment.toy_bitext import toy_bitext\n"
        "from isogloss.alignment.registry import aligner\n"
        "aligner('fast-align').align(toy_bitext(10, seed=3)[0])\n"  # other work before
        "found = aligner('eflomal').align(toy_bitext(40)[0])\n"
        "print(json.dumps([one.links for one in found]))\n"
    )
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[1]),
        "PYTHONHASHSEED": "7",
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, check=True
    )
    theirs = [tuple(map(tuple, links)) for links in json.loads(done.stdout)]
    assert theirs == [one.links for one in aligner("eflomal").align(PAIRS)]


def test_processes_of_their_own_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = aligner("eflomal").align(PAIRS)
    monkeypatch.setattr(statistical, "_FEW", 1)
    monkeypatch.setattr(statistical, "usable_cores", lambda: 2)
    # They must be what answers, not this process.
    monkeypatch.setattr(statistical, "train", lambda *_: [])
    assert aligner("eflomal").align(PAIRS) == expected


def test_a_lost_process_is_made_up_for(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = aligner("hmm").align(PAIRS)
    monkeypatch.setattr(statistical, "_FEW", 1)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert aligner("hmm").align(PAIRS) == expected


def test_the_name_tells_all_that_decides() -> None:
    names = {
        aligner("eflomal").name,
        aligner("eflomal", seed=2).name,
        aligner("hmm").name,
        aligner("eflomal", "union").name,
        aligner("eflomal", target_language="en").name,
        aligner("eflomal", extra=PAIRS[:1]).name,
        aligner("eflomal", extra=PAIRS[1:2]).name,
    }
    assert len(names) == 7
    assert all("|" not in name for name in names)
    assert aligner("hmm", seed=2).name == aligner("hmm").name


def test_segments_without_words_have_no_links() -> None:
    pairs: list[TokenPair] = [([], ["a"]), *PAIRS[:20], (["b"], []), ([], [])]
    for name in ("eflomal", "hmm"):
        found = aligner(name).align(pairs)
        assert [not one.links for one in found] == [True, *[False] * 20, True, True]
    assert aligner().align([]) == []
    assert aligner().align([([], [])]) == [SegmentAlignment(())]


def test_words_that_thot_gives_a_meaning_are_words_like_any_other() -> None:
    renamed = [
        ([w.replace("Quelle1", "NULL") for w in source], [f"a b {w}" for w in target])
        for source, target in PAIRS
    ]
    assert [one.links for one in aligner("hmm").align(renamed)] == [
        one.links for one in aligner("hmm").align(PAIRS)
    ]


def test_case_does_not_matter_and_stems_help() -> None:
    upper = [([w.upper() for w in source], target) for source, target in PAIRS]
    assert aligner("hmm").align(upper) == aligner("hmm").align(PAIRS)
    numbering = Numbering()
    stems = StatisticalAligner("hmm", None, "en")._forms
    numbering.corpus([(["a", "A"], ["state", "States"])], stems)
    assert list(numbering.source) == ["a"]
    assert list(numbering.target) == ["state"]


def test_extra_bitext_is_learnt_from_and_not_answered_for() -> None:
    few = PAIRS[:3]
    alone, helped = aligner("hmm").align(few), aligner("hmm", extra=PAIRS[3:]).align(few)
    assert len(alone) == len(helped) == 3
    truth = TRUTH[:3]
    correct = [
        sum(len(set(one.links) & set(true)) for one, true in zip(found, truth, strict=True))
        for found in (alone, helped)
    ]
    assert correct[0] < correct[1]


def test_of_sentences_beyond_all_measure_the_beginning_is_aligned() -> None:
    words = ["a"] * (LONGEST + 1)
    plain = normaliser(None, "surface")
    corpus = Numbering().corpus([(words, ["b"]), (["a"], words)], (plain, plain))
    assert [len(side) for side in corpus.sources] == [LONGEST, 1]
    assert [len(side) for side in corpus.targets] == [1, LONGEST]


@pytest.mark.parametrize("name", ["eflomal", "hmm", "ibm4", "fast-align"])
def test_a_saved_model_aligns_text_it_never_saw(name: str, tmp_path: Path) -> None:
    learning = aligner(name, save_to=tmp_path / "model", runtime=Runtime(cache=tmp_path))
    assert learning.align(PAIRS) == aligner(name).align(PAIRS)
    new, truth = toy_bitext(20, seed=9)
    saved = aligner(name, trained=tmp_path / "model")
    found = saved.align(new)
    correct = sum(len(set(one.links) & set(true)) for one, true in zip(found, truth, strict=True))
    assert correct >= 0.7 * sum(map(len, truth))
    # No pair depends on another, and unknown words do no harm.
    assert saved.align(new[::-1])[::-1] == found
    assert len(saved.align([(["nie", "gehört"], ["never", "heard"])])) == 1
    assert saved.name != aligner(name).name


def test_saved_models_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    aligner("hmm", save_to=tmp_path / "model").align(PAIRS)
    with pytest.raises(InputError, match="holds a trained hmm, not eflomal"):
        aligner("eflomal", trained=tmp_path / "model")
    with pytest.raises(InputError, match="learns nothing more"):
        aligner("hmm", trained=tmp_path / "model", extra=PAIRS)
    with pytest.raises(FormatError, match="no such file"):
        aligner("hmm", trained=tmp_path)
    (tmp_path / "model" / "aligner.json").write_text("{}")
    with pytest.raises(FormatError, match="does not describe a trained aligner"):
        aligner("hmm", trained=tmp_path / "model")


def test_unknown_aligners_are_refused() -> None:
    with pytest.raises(InputError, match="unknown aligner 'giza'; known are: auto, attention"):
        aligner("giza")
    with pytest.raises(InputError, match="unknown statistical aligner"):
        StatisticalAligner("giza")


def test_links_are_kept_where_there_is_a_cache(tmp_path: Path) -> None:
    runtime = Runtime(cache=tmp_path)
    first = aligner("hmm", runtime=runtime).align(PAIRS)
    (file,) = (tmp_path / "alignments").iterdir()
    before = file.stat().st_mtime_ns
    # Another symmetrisation is made of the same directions.
    other = aligner("hmm", "union", runtime=runtime).align(PAIRS)
    assert first == aligner("hmm").align(PAIRS)
    assert other == aligner("hmm", "union").align(PAIRS)
    assert [f.stat().st_mtime_ns for f in (tmp_path / "alignments").iterdir()] == [before]
