"""BLEU, chrF and TER equal sacrebleu's, at every level and with every option."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import MetricOptionError, MissingExtraError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.language import CHARACTERS_FOR_WORDS
from isogloss.language.codes import ENGLISH_NAMES
from isogloss.metrics import Metric, load_metric

SOURCE = ("quelle eins", "quelle zwei", "quelle drei", "quelle vier", "quelle fünf")
HYPOTHESES = ("the cat sat on the mat .", "a dog", "", "Totally different", 'He said: "no"')
REFERENCES = {
    "one": ("the cat sat on a mat .", "a dog barks", "nothing", "Another line", "He said “no”"),
    "two": ("on the mat sat a cat .", "one dog barked", "none", "Some other", '"No", he said'),
}

CONFIGURATIONS: list[tuple[str, Callable[..., object], dict[str, object]]] = [
    ("bleu", BLEU, {}),
    ("bleu(tokenize=intl,lowercase=true)", BLEU, {"tokenize": "intl", "lowercase": True}),
    ("bleu(tokenize=char)", BLEU, {"tokenize": "char"}),
    ("bleu(tokenize=zh)", BLEU, {"tokenize": "zh"}),
    ("bleu(smooth=floor)", BLEU, {"smooth_method": "floor"}),
    (
        "bleu(smooth=add-k,smooth_value=0.5)",
        BLEU,
        {"smooth_method": "add-k", "smooth_value": 0.5},
    ),
    ("bleu(smooth=none,max_order=2)", BLEU, {"smooth_method": "none", "max_ngram_order": 2}),
    ("chrf", CHRF, {}),
    ("chrf++", CHRF, {"word_order": 2}),
    ("chrf(beta=3,lowercase=true)", CHRF, {"beta": 3, "lowercase": True}),
    ("chrf(eps_smoothing=true)", CHRF, {"eps_smoothing": True}),
    ("chrf(whitespace=true,char_order=4)", CHRF, {"whitespace": True, "char_order": 4}),
    ("ter", TER, {}),
    (
        "ter(normalized=true,no_punct=true,case_sensitive=true)",
        TER,
        {"normalized": True, "no_punct": True, "case_sensitive": True},
    ),
]
configurations = pytest.mark.parametrize(
    ("name", "peer", "options"), CONFIGURATIONS, ids=[name for name, _, _ in CONFIGURATIONS]
)


def collection(names: tuple[str, ...] = ("one", "two")) -> Collection:
    def document(id: str, start: int, end: int) -> Document:
        chosen = {name: REFERENCES[name][start:end] for name in names}
        return Document(id, SOURCE[start:end], chosen)

    testset = TestSet("t", "de", "en", (document("a", 0, 2), document("b", 2, 5)))
    output = SystemOutput("s", {"a": HYPOTHESES[:2], "b": HYPOTHESES[2:]})
    return Collection(testset, (output,))


@configurations
@pytest.mark.parametrize("names", [("one",), ("one", "two")], ids=["1ref", "2refs"])
def test_scores_are_sacrebleus(
    name: str, peer: Callable[..., object], options: dict[str, object], names: tuple[str, ...]
) -> None:
    table = evaluate(collection(names), [name])
    row = table.rows[0]
    references = [REFERENCES[ref] for ref in names]
    assert row.score == peer(**options).corpus_score(HYPOTHESES, references).score  # type: ignore[attr-defined]
    for document, part in zip(row.documents, (slice(0, 2), slice(2, 5)), strict=True):
        expected = peer(**options).corpus_score(HYPOTHESES[part], [r[part] for r in references])  # type: ignore[attr-defined]
        assert document.score == expected.score
    sentence = peer(**options, effective_order=True) if peer is BLEU else peer(**options)
    expected_segments = [
        sentence.sentence_score(hypothesis, [r[i] for r in references]).score  # type: ignore[attr-defined]
        for i, hypothesis in enumerate(HYPOTHESES)
    ]
    segments = [s for d in row.documents for s in d.measurement.segment_scores or ()]
    assert segments == expected_segments


@configurations
def test_the_signature_contains_sacrebleus_own(
    name: str, peer: Callable[..., object], options: dict[str, object]
) -> None:
    scorer = peer(**options)
    scorer.corpus_score(HYPOTHESES, list(REFERENCES.values()))  # type: ignore[attr-defined]
    signature = str(load_metric(name).signature(collection().testset))
    assert signature == f"{load_metric(name).name}|{scorer.get_signature().format()}"  # type: ignore[attr-defined]


def test_absent_segments_are_left_out_not_scored_as_empty() -> None:
    testset = TestSet(
        "t",
        None,
        None,
        (
            Document(
                "a",
                ("1", "2", "3"),
                {"x": ("the cat", None, "a dog barks"), "y": (None, None, "dogs bark")},
            ),
        ),
    )
    whole = Collection(testset, (SystemOutput("s", {"a": ("the cat", "no reference", None)}),))
    (document,) = evaluate(whole, ["bleu"]).rows[0].documents
    assert document.score == sacrebleu.corpus_bleu(["the cat"], [["the cat"]]).score
    assert document.measurement.segment_scores == (pytest.approx(100.0), None, None)
    assert (document.measurement.scored, document.measurement.total) == (1, 3)
    assert "nrefs:var" in str(load_metric("bleu").signature(testset))


@configurations
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_many_scores_at_once_equal_single_scores(
    name: str, peer: Callable[..., object], options: dict[str, object], data: st.DataObject
) -> None:
    metric = load_metric(name)
    rows = data.draw(st.lists(_possible_statistics(metric), min_size=1, max_size=6))
    matrix = np.array(rows, dtype=float)
    singles = [metric.score(row) for row in matrix]
    assert metric.score_rows(matrix) == pytest.approx(singles, rel=1e-9, abs=1e-12)


def _possible_statistics(metric: Metric) -> st.SearchStrategy[list[float]]:
    """Sums that can occur: matches never exceed what they match in."""
    if metric.name.name == "ter":
        return st.lists(st.integers(0, 40).map(float), min_size=2, max_size=2)
    if metric.name.name.startswith("chrf"):
        orders = metric.width // 3  # type: ignore[attr-defined]
        triple = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)).map(
            lambda t: (t[0], t[1], min(t))
        )
        return st.lists(triple, min_size=orders, max_size=orders).map(
            lambda triples: [float(x) for t in triples for x in t]
        )
    orders = metric.max_order  # type: ignore[attr-defined]

    def bleu(lengths: tuple[int, int], hits: list[int]) -> list[float]:
        totals = [max(0, lengths[0] - n) for n in range(orders)]
        correct = [min(h, t) for h, t in zip(hits, totals, strict=True)]
        return [float(x) for x in (*lengths, *correct, *totals)]

    return st.builds(
        bleu,
        st.tuples(st.integers(0, 12), st.integers(0, 12)),
        st.lists(st.integers(0, 8), min_size=orders, max_size=orders),
    )


@pytest.mark.parametrize(
    ("language", "tokeniser"),
    [
        ("zh", "zh"), ("zh-TW", "zh"), ("zho_Hans", "zh"), ("yue", "zh"), ("ja", "ja-mecab"),
        ("jpn", "ja-mecab"), ("ko", "ko-mecab"), ("cs", "13a"), ("vi", "13a"), ("x-new", "13a"),
        ("th", "char"), ("lo", "char"), ("khm", "char"), ("my", "char"), ("bo", "char"),
    ],
)  # fmt: skip
def test_the_tokeniser_follows_the_target_language(language: str, tokeniser: str) -> None:
    metric = load_metric("bleu", "en", language)
    assert metric.tokenize == tokeniser  # type: ignore[attr-defined]
    assert load_metric("bleu(tokenize=char)", "en", language).tokenize == "char"  # type: ignore[attr-defined]


@pytest.mark.parametrize("language", sorted({*ENGLISH_NAMES} - CHARACTERS_FOR_WORDS))
def test_the_tokeniser_is_the_one_of_sacrebleus_command_line(language: str) -> None:
    if language in ("ja", "ko"):
        pytest.importorskip("MeCab", reason="the extra 'languages' is not installed")
    theirs = BLEU(trg_lang=language)
    theirs.corpus_score(["a"], [["a"]])
    ours = load_metric("bleu", "en", language).signature(collection().testset)
    assert theirs.get_signature().info["tok"] == dict(ours.fields)["tok"]


THAI = ("ฉันกินข้าวเช้าที่บ้านทุกวันกับครอบครัว", "ฉันทานข้าวเช้าที่บ้านทุกวันกับครอบครัว")
CHINESE = ("我每天早上都和家人一起在家里吃早饭。", "我每天早上都和家人在家里一起吃早饭。")


@pytest.mark.parametrize(
    ("name", "texts", "remedy"),
    [
        ("bleu(tokenize=13a)", THAI, "bleu(tokenize=char)"),
        ("bleu(tokenize=intl)", CHINESE, "bleu(tokenize=zh)"),
        ("ter", THAI, "count characters"),
        ("ter", CHINESE, "ter(normalized=true,asian_support=true)"),
        ("ter(normalized=true,asian_support=true)", THAI, "count characters"),
        ("chrf++", THAI, "chrf counts characters alone"),
    ],
)
def test_words_that_are_not_told_apart_are_told(
    name: str, texts: tuple[str, str], remedy: str
) -> None:
    """A score of 0 or 100 for want of spaces never stays silent."""
    testset = TestSet("t", "en", None, (Document("a", ("x",), {"r": (texts[0],)}),))
    table = evaluate(Collection(testset, (SystemOutput("s", {"a": (texts[1],)}),)), [name])
    (remark,) = [line for line in table.provenance.notices if "for lack of spaces" in line]
    assert remark.startswith(f"{load_metric(name).name}: phrases counted as words")
    assert remedy in remark
    assert "in 1 segment of 's'" in remark


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("bleu(tokenize=char)", THAI),
        ("bleu(tokenize=zh)", CHINESE),
        ("ter(normalized=true,asian_support=true)", CHINESE),
        ("chrf", THAI),
        ("bleu", ("a b c d e", "a b c d f")),
    ],
)
def test_nothing_is_remarked_where_words_or_characters_are_found(
    name: str, texts: tuple[str, str]
) -> None:
    testset = TestSet("t", "en", "th", (Document("a", ("x",), {"r": (texts[0],)}),))
    table = evaluate(Collection(testset, (SystemOutput("s", {"a": (texts[1],)}),)), [name])
    assert 0 < (table.rows[0].score or 0) < 100
    assert not [line for line in table.provenance.notices if "for lack of spaces" in line]


def test_japanese_and_korean_are_tokenised() -> None:
    pytest.importorskip("MeCab", reason="the extra 'languages' is not installed")
    for language, text in (("ja", "猫は畳の上に座った。"), ("ko", "고양이가 매트 위에 앉았다.")):
        testset = TestSet("t", "en", language, (Document("a", ("x",), {"r": (text,)}),))
        table = evaluate(Collection(testset, (SystemOutput("s", {"a": (text,)}),)), ["bleu"])
        assert table.rows[0].score == pytest.approx(100.0)
        assert f"tok:{language}-mecab" in table.metrics[0].signature


def test_spbleu_is_sacrebleus(flores_models: Path) -> None:
    table = evaluate(collection(), ["spbleu", "bleu(tokenize=flores101)"])
    expected = BLEU(tokenize="flores200").corpus_score(HYPOTHESES, list(REFERENCES.values()))
    assert [row.score for row in table.rows] == [expected.score, expected.score]
    assert "tok:flores200" in table.metrics[0].signature


def test_a_missing_tokeniser_model_says_where_to_put_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from sacrebleu.tokenizers import tokenizer_spm

    def no_network(*_: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", "/nonexistent")
    monkeypatch.setattr(tokenizer_spm, "download_file", no_network)
    with pytest.raises(NotApplicableError, match="copy the model into the folder 'models'"):
        load_metric("spbleu(max_order=3)").signature(collection().testset)


def test_a_missing_tokeniser_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sacrebleu.tokenizers.tokenizer_ja_mecab", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[languages\]'"):
        load_metric("bleu(tokenize=ja-mecab,max_order=3)").signature(collection().testset)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("bleu(tokenise=13a)", "bleu has no option 'tokenise'; it has: tokenize, smooth"),
        ("bleu(tokenize=spacy)", "takes one of: 13a, intl"),
        ("bleu(lowercase=yes)", r"bleu\(lowercase=...\) takes bool, not yes"),
        ("bleu(smooth_value=high)", "takes float or none, not high"),
        ("chrf(beta=2.5)", "takes int, not 2.5"),
    ],
)
def test_wrong_options_are_refused(name: str, complaint: str) -> None:
    with pytest.raises(MetricOptionError, match=complaint):
        load_metric(name)


def test_whole_numbers_do_for_fractions() -> None:
    assert load_metric("bleu(smooth=add-k,smooth_value=1)").smooth_value == 1.0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "name",
    [
        "bleu(max_order=0)",
        "bleu(max_order=9999999999999)",
        "chrf(char_order=-1)",
        "chrf(char_order=0)",
        "chrf(char_order=9999999999999)",
        "chrf++(word_order=101)",
    ],
)
def test_orders_that_nobody_can_count_are_refused(name: str) -> None:
    with pytest.raises(MetricOptionError, match="from 1 to 100"):
        load_metric(name)
