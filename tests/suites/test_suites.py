"""Made examples in the layouts in which the suites were published."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from isogloss.cli.main import app
from isogloss.errors import FormatError, InputError, MismatchError
from isogloss.model import Pair, Paraphraser
from isogloss.suites import (
    Contender,
    accuracies,
    by_model,
    by_outputs,
    by_scores,
    read_suite,
)
from isogloss.suites.judging import share_interval
from model.tiny_models import TinyModel

CONTRAPRO = [
    {
        "src segment": "It is red.",
        "ref segment": "Sie ist rot.",
        "src pronoun": "it",
        "ref pronoun": "Sie",
        "ante distance": 1,
        "intrasegmental": False,
        "document id": "2008.xml",
        "segment id": 12,
        "errors": [
            {"type": "pronominal coreference", "replacement": "er", "contrastive": "Er ist rot."},
            {"type": "pronominal coreference", "replacement": "es", "contrastive": "Es ist rot."},
        ],
    },
    {
        "src segment": "It sleeps.",
        "ref segment": "Er schläft.",
        "src pronoun": "It",
        "ref pronoun": "er",
        "ante distance": 7,
        "intrasegmental": None,
        "document id": "2008.xml",
        "segment id": 90,
        "errors": [{"contrastive": "Es schläft."}],
    },
]
VOITA = [
    {
        "src": "Stop ! _eos Frank ! _eos Stop !",
        "dst": ["Стой ! _eos Фрэнк ! _eos Стойте !", "Стой ! _eos Фрэнк ! _eos Стой !"],
        "true_ind": 1,
        "ctx_dist": 2,
    },
    {
        "src": "He did . _eos So ?",
        "dst": ["Он ушёл . _eos И ?", "Он сделал . _eos И ?"],
        "true_ind": 0,
    },
]
CTXPRO = [
    {
        "src pronoun": "you",
        "expected": "sie",
        "ref segment": "Wir finden Sie.",
        "src segment": "We will find you.",
        "segment id": 132,
        "document id": "de-en/2017/1",
        "rule": "ACC.FORM+PLUR",
    },
    {
        "src pronoun": "you",
        "expected": "dich",
        "ref segment": "Ich sehe dich.",
        "src segment": "I see you.",
        "segment id": 3,
        "document id": "de-en/2017/2",
        "rule": "ACC.INF+SING",
    },
]

ANAPHORA = {
    "10": {"src": ["The bag.", "It is old."], "trg": [
        {"correct": ["Le sac.", "Il est vieux."], "incorrect": ["Le sac.", "Elle est vieille."],
         "type": "m.sg"},
        {"semi-correct": ["La boîte.", "Elle est vieille."],
         "incorrect": ["La boîte.", "Il est vieux."], "type": "f.sg"}]},
    "9": {"inspired by": ["x", "y"], "src": ["The cat.", "It sleeps."], "trg": [
        {"correct": ["Le chat.", "Il dort."], "incorrect": ["Le chat.", "Elle dort."]},
        {"correct": ["La chatte.", "Elle dort."], "incorrect": ["La chatte.", "Il dort."]}]},
}  # fmt: skip
LEXICAL_CHOICE = {
    "1": {"type": "disambig", "examples": [
        {"src": ["Is it serious, doctor?", "Get rid of that mole."],
         "trg": {"correct": ["C'est grave ?", "Enlevez ce grain de beauté."],
                 "incorrect": ["C'est grave ?", "Enlevez cette taupe."]}},
        {"src": ["A spy!", "Get rid of that mole."],
         "trg": {"correct": ["Un espion !", "Enlevez cette taupe."],
                 "incorrect": ["Un espion !", "Enlevez ce grain de beauté."]}}]},
}  # fmt: skip


def written(folder: Path, entries: Any, name: str = "contrapro") -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


def test_contrapro_with_the_context_that_its_script_writes(tmp_path: Path) -> None:
    path = written(tmp_path, CONTRAPRO)
    plain = read_suite(path)
    assert (plain.layout, plain.languages) == ("ContraPro", ("en", "de"))
    first, second = plain.contrasts
    assert [candidate.text for candidate in first.candidates] == [
        "Sie ist rot.",
        "Er ist rot.",
        "Es ist rot.",
    ]
    assert first.right == 0
    assert first.groups == {"pronoun": "it:sie", "distance": "1"}
    assert second.groups == {"pronoun": "it:er", "distance": ">3"}
    assert first.before == ()
    # Two lines of context for each of the five sentences to score, empty where there is none.
    english = ["", "A bag.", "", "A bag.", "", "A bag.", "One.", "A dog.", "One.", "A dog."]
    (tmp_path / "contrapro.context.en").write_text("\n".join(english) + "\n", encoding="utf-8")
    german = [line.replace("A", "Ein") for line in english]
    (tmp_path / "contrapro.context.de").write_text("\n".join(german) + "\n", encoding="utf-8")
    first, second = read_suite(path).contrasts
    assert first.before == ("A bag.",)
    assert second.before == ("One.", "A dog.")
    assert second.candidates[1] == Contender("Es schläft.", ("One.", "Ein dog."))
    (tmp_path / "contrapro.context.de").write_text("x\n" * 7, encoding="utf-8")
    with pytest.raises(FormatError, match="7 lines of context for 5 sentences"):
        read_suite(path)


def test_several_sentences_of_voita(tmp_path: Path) -> None:
    first, second = read_suite(written(tmp_path, VOITA, "deixis_test")).contrasts
    assert (first.source, first.before) == ("Stop !", ("Stop !", "Frank !"))
    assert first.candidates[0] == Contender("Стойте !", ("Стой !", "Фрэнк !"))
    assert (first.right, first.groups) == (1, {"distance": "2"})
    assert second.candidates[1].before == ("Он сделал .",)


def test_the_blocks_of_bawden_et_al(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, ANAPHORA, "anaphora"))
    assert (suite.layout, suite.languages) == ("Bawden et al., anaphora", ("en", "fr"))
    # Blocks go by their numbers, whatever their order in the file, as in the published script.
    assert [c.source for c in suite.contrasts] == ["It sleeps."] * 2 + ["It is old."] * 2
    last = suite.contrasts[-1]
    assert (last.before, last.right, last.document) == (("The bag.",), 0, "2")
    assert last.candidates[0] == Contender("Elle est vieille.", ("La boîte.",))
    assert last.groups == {"antecedent": "semi-correct", "pronoun": "f.sg"}
    choice = read_suite(written(tmp_path, LEXICAL_CHOICE, "lexical-choice"))
    assert [c.groups for c in choice.contrasts] == [{"kind": "disambig"}] * 2
    assert choice.contrasts[1].before == ("A spy!",)
    # The sets are balanced: whoever sees no context is right in just half of the examples.
    for each in (suite, choice):
        blind = [float(len(c.text)) for contrast in each.contrasts for c in contrast.candidates]
        assert accuracies(each, by_scores(each, blind))[0].share == 0.5
    with pytest.raises(FormatError, match="example 1 lacks something that its suite has"):
        read_suite(written(tmp_path, {"1": {"src": ["a", "b"], "trg": [{"correct": ["c", "d"]}]}}))
    with pytest.raises(FormatError, match=r"no list of examples.*Bawden et al\."):
        read_suite(written(tmp_path, {"name": "x"}))


def test_scores_as_the_published_scripts_count_them(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, CONTRAPRO))
    # Losses: the first is the reference's, and it must be lower than all that follow.
    assert by_scores(suite, [1.0, 2.0, 3.0, 5.0, 4.0], losses=True) == [True, False]
    assert by_scores(suite, [1.0, 1.0, 3.0, 4.0, 5.0], losses=True) == [False, True]
    assert by_scores(suite, [3.0, 2.0, 1.0, 5.0, 4.0]) == [True, True]
    voita = read_suite(written(tmp_path, VOITA, "deixis_test"))
    assert by_scores(voita, [9.0, 8.0, 1.0, 2.0], losses=True) == [True, True]
    with pytest.raises(MismatchError, match="4 scores; suite 'contrapro' has 5 translations"):
        by_scores(suite, [1.0] * 4)


@pytest.mark.parametrize(
    ("output", "met"),
    [
        ("Wir finden Sie.", True),
        ("Wir finden sie!", True),
        ("Wir finden siebzehn.", False),
        ("Gehen Sie weg. Wir finden dich.", False),  # the last sentence counts
        ("Gehen Sie weg. Wir finden „Sie“, bald", False),  # marks that are not ASCII stay, as there
        ("", False),
    ],
)
def test_outputs_as_ctxpro_looks_at_them(tmp_path: Path, output: str, met: bool) -> None:
    suite = read_suite(written(tmp_path, CTXPRO[:1], "formality"))
    assert by_outputs(suite, [output], "de") == [met]


def test_a_model_prefers_what_it_finds_more_probable(tmp_path: Path, tiny: TinyModel) -> None:
    entry = {
        "src": "das Haus _eos die Katze",
        "dst": ["the house _eos the cat sat", "the house _eos the dog"],
        "true_ind": 0,
    }
    suite = read_suite(written(tmp_path, [entry], "lex"))
    model = Paraphraser.load(tiny.folder)
    for context in (0, 1):
        before = (("das Haus",), ("the house",)) if context else ((), ())
        probabilities = [
            np.mean(tiny.log_probs(Pair("die Katze", text, "en", "de", *before)))
            for text in ("the cat sat", "the dog")
        ]
        decisions, cut = by_model(suite, model, "de", "en", context)
        assert (decisions, cut) == ([probabilities[0] > probabilities[1]], 0)


def test_shares_by_class(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, CONTRAPRO))
    every, *classes = accuracies(suite, [True, False])
    assert (every.group, every.right, every.total, every.share) == ("all", 1, 2, 0.5)
    assert every.interval is None  # one document
    assert [(a.group, a.name, a.right) for a in classes] == [
        ("pronoun", "it:er", 0),
        ("pronoun", "it:sie", 1),
        ("distance", "1", 1),
        ("distance", ">3", 0),
    ]


def test_intervals_hold_also_where_documents_go_together() -> None:
    draw = np.random.default_rng(5)
    for between, count in ((0.0, 30), (0.25, 30), (0.25, 200)):
        spread = between * np.random.default_rng(1).standard_normal(99_999)
        truth = np.clip(0.6 + spread, 0.02, 0.98).mean()
        held = 0
        for _ in range(400):
            tendency = np.clip(0.6 + between * draw.standard_normal(count), 0.02, 0.98)
            documents = np.repeat(np.arange(count), 5)
            right = (draw.random(5 * count) < tendency[documents]).astype(float)
            interval = share_interval(right, documents.tolist())
            assert interval is not None
            held += interval[0] <= truth <= interval[1]
        assert 0.92 <= held / 400 <= 0.99, (between, count, held)


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ({}, "no list of examples"),
        ([], "no list of examples"),
        ([{"a": 1}], "examples of an unknown suite"),
        ([{**CONTRAPRO[0], "errors": [{}]}], "example 1 lacks something"),
        ([VOITA[0], {**VOITA[1], "true_ind": 2}], "example 2 lacks something"),
        ([{**CTXPRO[0], "expected": None}], "example 1 lacks something"),
    ],
)
def test_what_is_no_suite_is_told(tmp_path: Path, entries: Any, complaint: str) -> None:
    with pytest.raises(FormatError, match=complaint):
        read_suite(written(tmp_path, entries))


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["suite", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_commands(tmp_path: Path) -> None:
    suite = written(tmp_path, CTXPRO, "formality")
    assert run("sources", suite) == "We will find you.\nI see you.\n"
    (tmp_path / "out").write_text("Wir finden Sie.\nIch sehe Sie.\n", encoding="utf-8")
    shown = json.loads(
        run("score", suite, "--outputs", tmp_path / "out", "--to", "de", "-o", "json")
    )
    assert [(r["class"], r["right"], r["total"]) for r in shown["results"]] == [
        ("all", 1, 2),
        ("ACC.FORM+PLUR (sie)", 1, 1),
        ("ACC.INF+SING (dich)", 0, 1),
    ]
    contrasts = written(tmp_path, CONTRAPRO)
    (tmp_path / "losses").write_text("1\n2\n3\n5\n4\n", encoding="utf-8")
    table = run("score", contrasts, "--scores", tmp_path / "losses", "--losses")
    assert "contrapro · ContraPro" in table
    assert "50.0" in table
    with pytest.raises(InputError, match="give one of --model"):
        run("score", contrasts)
    with pytest.raises(InputError, match="give --outputs"):
        run("score", suite, "--scores", tmp_path / "losses")
    (tmp_path / "losses").write_text("1\nx\n", encoding="utf-8")
    with pytest.raises(FormatError, match="losses:2: no number"):
        run("score", contrasts, "--scores", tmp_path / "losses")


def test_the_model_inside_takes_part(tmp_path: Path) -> None:
    table = run(
        "score", written(tmp_path, CONTRAPRO), "--model", "default", "--context", 1, "--no-cache"
    )
    assert "1 sentence before" in table
    assert "hold no context" in table
