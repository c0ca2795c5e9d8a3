"""Collections from lists of strings, with and without a source."""

import sys
from pathlib import Path

import pytest
import sacrebleu

import isogloss
from isogloss.errors import InputError, MismatchError, NotApplicableError
from isogloss.sample import sample_path

SYSTEMS = {"a": ["dog", None, "bird"], "b": ["hound", "cat", "fowl"]}


def test_documents_are_runs_of_segments() -> None:
    made = isogloss.from_texts(
        ["Hund", "Katze", "Vogel"],
        {"one": ["dog", "cat", "bird"], "two": ["hound", "cat", None]},
        SYSTEMS,
        documents=["mammals", "mammals", "others"],
        source_language="de",
        target_language="en",
    )
    first, second = made.testset.documents
    assert (first.id, first.source, second.source) == ("mammals", ("Hund", "Katze"), ("Vogel",))
    assert first.references["two"] == ("hound", "cat")
    assert second.references["two"] == (None,)
    assert made.outputs[0].documents == {"mammals": ("dog", None), "others": ("bird",)}
    assert (made.testset.source_language, made.testset.target_language) == ("de", "en")


def test_without_documents_every_segment_is_one() -> None:
    made = isogloss.from_texts(["x"] * 10, [], {"a": ["y"] * 10})
    assert [document.id for document in made.testset.documents][::9] == ["line-01", "line-10"]
    assert made.testset.reference_names == ()


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"source": ["Hund"]}, r"reference 'ref' has 3 segments, the source has 1"),
        ({"references": ["dog"]}, r"reference 'ref' has 1 segment, the source has 3"),
        ({"systems": {"a": ["dog"]}}, r"system 'a' has 1 segment, the source has 3"),
        ({"documents": ["a", "b"]}, r"3 segments and the documents of 2"),
        ({"documents": ["a", "b", "a"]}, r"document 'a' is interrupted"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changed: dict[str, object], complaint: str) -> None:
    given = {"source": ["Hund", "Katze", "Vogel"], "references": ["dog"] * 3, "systems": SYSTEMS}
    with pytest.raises(MismatchError, match=complaint):
        isogloss.from_texts(**{**given, **changed})  # type: ignore[arg-type]


def test_nothing_is_no_collection() -> None:
    with pytest.raises(InputError, match="no texts"):
        isogloss.from_texts(None, [], {})


def test_no_source_is_needed_by_metrics_that_read_none() -> None:
    made = isogloss.from_texts(
        None, ["the cat sat"], {"a": ["a cat sat"]}, source_language="de", target_language="en"
    )
    assert not made.testset.has_source
    table = isogloss.evaluate(made, "chrf,prism-src,ltcr,markables,embedding(against=source)")
    assert table["chrf", "a"].score is not None
    lacking = {info.name: info.not_scored or "" for info in table.metrics[1:]}
    assert len(lacking) == 4
    assert all("reads the source" in why for why in lacking.values())
    assert not any("empty segment" in notice for notice in table.provenance.notices)
    with pytest.raises(NotApplicableError) as refused:
        isogloss.evaluate(made, "prism-src")
    assert refused.value.lacking == ("source",)
    with pytest.raises(InputError, match="no source to write"):
        isogloss.write_collection(made, "nowhere", "jsonl")


def test_the_command_line_needs_no_source_either(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from isogloss.cli.main import main

    sample = sample_path("cs-en")
    given = ["-r", sample / "ref.txt", "-t", sample / "steady.txt", "-m", "bleu", "-o", "tsv"]
    monkeypatch.setattr(sys, "argv", ["isogloss", "evaluate", *map(str, given)])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    heading, row = capsys.readouterr().out.splitlines()
    shown = dict(zip(heading.split("\t"), row.split("\t"), strict=True))
    lines = [
        Path(sample, name).read_text("utf-8").splitlines() for name in ("steady.txt", "ref.txt")
    ]
    assert float(shown["score"]) == sacrebleu.corpus_bleu(lines[0], [lines[1]]).score
