"""METEOR as a metric: golden values, documents, references, resources, signature, evidence."""

import gzip
import html
import pickle
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.documents import Collection, Document, SystemOutput, TestSet, Translation
from isogloss.errors import FormatError, InputError, MetricOptionError, NotApplicableError
from isogloss.evaluation import evaluate
from isogloss.language import open_wordnet
from isogloss.metrics import load_metric, metric_of_signature
from isogloss.metrics.meteor import beam, metric, vocabulary
from isogloss.metrics.meteor.metric import Meteor
from isogloss.metrics.meteor.profile import (
    ENVIRONMENT,
    Resources,
    Task,
    parameters,
    usual_matchers,
    usual_resources,
)
from isogloss.metrics.meteor.vocabulary import synonyms
from isogloss.scores import Measurement
from metrics.java_meteor import java_meteor

GOLDEN = [
    ("on the mat sat the cat", "the cat sat on the mat", 0.4776696620223255),
    ("the cats sits on a mat", "the cat sat on the mat", 0.38369219126180504),
    ("he purchased a car", "he bought an automobile", 0.3238830585054485),
    ("the cat sat on the mat", "the cat sat on the mat", 1.0),
]
AGGREGATE = 0.45526486035192254
"""The values of the Java program with ``-l en -norm -m 'exact stem synonym'``."""


def translation(
    outputs: Sequence[str | None],
    *references: Sequence[str | None],
    language: str | None = "en",
) -> Translation:
    named = {f"ref{n}": tuple(lines) for n, lines in enumerate(references)}
    document = Document("doc", tuple("x" for _ in outputs), named)
    return Translation(document, "sys", tuple(outputs), "xx", language)


def measured(
    metric: Meteor, *arguments: Sequence[str | None], language: str | None = "en"
) -> Measurement:
    (only,) = metric.measure([translation(*arguments, language=language)])
    return only


def of_references(*references: Sequence[str], language: str = "en") -> TestSet:
    return TestSet("t", "cs", language, (translation(references[0], *references).document,))


@pytest.fixture
def english() -> Meteor:
    java_meteor()  # its package has METEOR's synonyms and function words
    return Meteor(matchers="exact+stem+synonym")


def test_golden_values(english: Meteor) -> None:
    outputs, references, scores = zip(*GOLDEN, strict=True)
    found = measured(english, outputs, references)
    assert found.segment_scores == pytest.approx(scores, abs=1e-12)
    assert english.score(found.statistics) == pytest.approx(AGGREGATE, abs=1e-12)


def test_the_best_reference_counts_segment_by_segment(english: Meteor) -> None:
    output = ["the cat sat", "a dog ran home"]
    near, far = ["the cat sat down", "nothing of it"], ["some other words", "a dog ran home"]
    both = measured(english, output, near, far)
    singles = [measured(english, output, lines).segment_scores for lines in (near, far)]
    assert both.segment_scores == tuple(map(max, zip(*singles, strict=True)))
    theirs = java_meteor().statistics(
        [(output[0], near[0]), (output[1], far[1])], "-l", "en", "-norm", "-m", "exact stem synonym"
    )
    np.testing.assert_array_equal(both.segment_statistics, theirs)


def test_statistics_add_up_and_absent_segments_are_not_scored(english: Meteor) -> None:
    found = measured(english, ["a cat", None, "a dog", ""], ["a cat", "b", None, "c"])
    assert found.segment_scores == (1.0, None, None, 0.0)
    assert (found.scored, found.total) == (2, 4)
    assert found.segment_statistics is not None
    assert np.isnan(found.segment_statistics[1:3]).all()
    np.testing.assert_array_equal(found.segment_statistics[[0, 3]].sum(axis=0), found.statistics)
    nothing = measured(english, [None], ["a"])
    assert (nothing.scored, nothing.segment_scores) == (0, (None,))


def test_a_perfect_document_scores_one_whatever_its_length(english: Meteor) -> None:
    lines = ["One sentence.", "And another one, of more words."]
    found = measured(english, lines, lines)
    assert english.score(found.statistics) == pytest.approx(1.0)


def documents_of(path: Path) -> dict[str, tuple[str, ...]]:
    """The segments of an SGML file as METEOR reads them."""
    text = path.read_text(encoding="utf-8")
    found = {}
    for id, body in re.findall(r'<doc[^>]*docid="([^"]+)"[^>]*>(.*?)</doc>', text, re.S):
        segments = re.findall(r"<seg[^>]*>(.*?)</seg>", body, re.S)
        found[id] = tuple(re.sub(r"\s", " ", html.unescape(s)).strip() for s in segments)
    return found


def test_the_example_that_comes_with_meteor(
    shared_data: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All scores of newstest2009 cs-en, with the full paraphrase table."""
    java_meteor()
    # Turning the table into an index takes long: once for all runs of the tests is enough.
    assert pytestconfig.cache is not None
    monkeypatch.setenv("ISOGLOSS_CACHE", str(pytestconfig.cache.mkdir("isogloss")))
    folder = shared_data / "meteor-example"
    outputs, references = (documents_of(folder / f"{name}.sgm") for name in ("test", "ref"))
    documents = tuple(
        Document(id, tuple("x" for _ in lines), {"ref": lines}) for id, lines in references.items()
    )
    collection = Collection(TestSet("t", "cs", "en", documents), (SystemOutput("s", outputs),))
    (row,) = evaluate(collection, ["meteor"]).rows
    assert row.score == pytest.approx(0.299148440516935, abs=1e-12)
    stored = {
        level: (folder / f"meteor-{level}.scr").read_text().splitlines() for level in ("doc", "seg")
    }
    by_document = {line.split("\t")[2]: float(line.split("\t")[3]) for line in stored["doc"]}
    by_segment = {
        tuple(line.split("\t")[2:4]): float(line.split("\t")[4]) for line in stored["seg"]
    }
    assert (len(by_document), len(by_segment)) == (111, 2525)
    for document in row.documents:
        assert document.score == pytest.approx(by_document[document.document], abs=1e-12)
        scores = document.measurement.segment_scores
        assert scores is not None
        for number, score in enumerate(scores, 1):
            assert score == pytest.approx(by_segment[document.document, str(number)], abs=1e-12)


CONFIGURATIONS = [
    *((language, "auto") for language in ("en", "cs", "de", "es", "fr", "ru", "da", "tr")),
    *(("en", task) for task in ("adq", "hter", "util", "li", "tune", "universal")),
]


@pytest.mark.parametrize(("language", "task"), CONFIGURATIONS)
def test_parameters_are_those_that_the_java_program_prints(language: str, task: Task) -> None:
    code = {"cs": "cz"}.get(language, language)
    options = ["-l", code] if task == "auto" else ["-l", code, "-t", task]
    # It prints them before it finds that there is nothing to score, nor to score with.
    printed = java_meteor().run("Meteor", "no file", "no file", "-a", "no file", *options)
    shown = dict(line.split(":", 1) for line in printed.splitlines() if ":" in line)
    ours = parameters(task, language)
    assert [float(number) for number in shown["Parameters"].split()] == [
        *(ours.alpha, ours.beta, ours.gamma, ours.delta)
    ]
    assert tuple(shown["Modules"].split()) == usual_matchers(task, language)
    weights = [ours.weight(matcher) for matcher in usual_matchers(task, language)]
    assert [float(number) for number in shown["Weights"].split()] == weights


def test_a_task_that_was_not_tuned_to_the_language_is_refused() -> None:
    with pytest.raises(MetricOptionError, match="was tuned to en and not to 'de'"):
        load_metric("meteor(task=hter)", "en", "de")


def test_the_language_is_that_of_the_translations() -> None:
    german = load_metric("meteor", "en", "de-AT")
    assert str(german) == "meteor(language=de)"
    with pytest.raises(
        NotApplicableError, match="set up for 'de', and the target language is 'fr'"
    ):
        list(german.measure([translation(["a"], ["b"], language="fr")]))
    assert measured(Meteor(language="nb"), ["hus"], ["huset"], language="no").segment_scores != (
        0.0,
    )
    unknown = measured(Meteor(), ["a"], ["a"], language=None)
    (remark,) = unknown.remarks
    assert remark == "scored as en, because the target language is not known,; name it (--to)"
    assert measured(Meteor(language="xx"), ["A b"], ["a b"], language="fr").segment_scores == (1.0,)


def test_languages_that_meteor_does_not_normalise_are_tokenised_by_ours() -> None:
    chinese = load_metric("meteor", "en", "zh")
    signature = str(chinese.signature(of_references(["我们去北京"], language="zh")))
    assert "|words:rjieba-" in signature
    assert "|matchers:exact|function:none|" in signature
    score = measured(chinese, ["我们明天去北京"], ["明天我们去北京"], language="zh").segment_scores
    assert score is not None
    assert 0 < (score[0] or 0) < 1
    with pytest.raises(NotApplicableError, match="no rules for 'zh'"):
        load_metric("meteor(tokeniser=meteor)", "en", "zh").signature(of_references(["a"]))
    spaced = load_metric("meteor(tokeniser=space)", "de", "en")
    assert "|words:space|" in str(spaced.signature(of_references(["a"])))


def test_a_signature_says_where_everything_comes_from(english: Meteor) -> None:
    fields = dict(english.signature(of_references(["a"], ["b"])).fields)
    assert fields.pop("synonym").startswith("meteor-")
    assert fields.pop("function").startswith("meteor-en-")
    assert fields.pop("words").startswith("meteor-")
    assert fields == {
        "refs": "2",
        "lang": "en",
        "task": "rank",
        "matchers": "exact+stem+synonym",
        "stem": "meteor-english",
        "version": "1.5",
    }
    assert metric_of_signature(str(english.signature(of_references(["a"])))) == english


def test_without_any_resources_words_and_stems_match() -> None:
    alone = load_metric("meteor(resources=none)", "de", "en")
    signature = str(alone.signature(of_references(["a"])))
    assert signature.startswith("meteor(resources=none)|refs:1|lang:en|task:rank|")
    assert "|words:meteor-without-prefixes|matchers:exact+stem|" in signature
    assert "|function:isogloss-en-" in signature
    assert measured(alone, ["dogs"], ["dog"]).segment_scores != (0.0,)
    assert measured(alone, ["car"], ["automobile"]).segment_scores == (0.0,)
    with pytest.raises(NotApplicableError, match="no synonyms in 'en'; name the folder of METEOR"):
        load_metric("meteor(resources=none,matchers=exact+synonym)", "de", "en").signature(
            of_references(["a"])
        )


@pytest.mark.parametrize(
    ("matchers", "language", "problem"),
    [
        ("exact+synonym", "de", "no synonyms in 'de'"),
        ("exact+paraphrase", "da", "no paraphrase table for 'da'"),
        ("exact+stem", "zh", "no stems in 'zh'"),
    ],
)
def test_matchers_that_cannot_be_used_are_refused(
    matchers: str, language: str, problem: str
) -> None:
    metric = load_metric(f"meteor(matchers={matchers})", None, language)
    with pytest.raises(NotApplicableError, match=problem):
        list(metric.measure([translation(["a"], ["a"], language=language)]))


@pytest.mark.parametrize("matchers", ["stem", "exact+lemma", ""])
def test_matchers_that_there_are_not_are_refused(matchers: str) -> None:
    with pytest.raises(MetricOptionError, match="takes exact, and with it some of"):
        Meteor(matchers=matchers)


def test_synonyms_may_come_from_wordnet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "index.noun").write_text(
        "  1 This software\n"
        "automobile n 1 2 @ ~ 1 1 02958343\n"
        "car n 2 2 @ ~ 2 1 02958343 02959942\n"
        "mouse n 1 1 @ 1 0 02330245\n"
    )
    (tmp_path / "index.verb").write_text("car v 1 1 @ 1 0 00000007\n")
    (tmp_path / "noun.exc").write_text("mice mouse\n")
    for file in ("index.adj", "index.adv", "verb.exc", "adj.exc", "adv.exc", "data.noun"):
        (tmp_path / file).write_text("")
    for file in ("data.verb", "data.adj", "data.adv"):
        (tmp_path / file).write_text("")
    monkeypatch.setenv("ISOGLOSS_WORDNET", str(tmp_path))
    synonyms.cache_clear()
    found = synonyms("en", Resources())
    synonyms.cache_clear()
    assert found is not None
    assert found.of("cars") == found.of("car") == {2958343, 2959942, 7}
    assert found.of("automobile") < found.of("car")
    assert found.of("mice") == found.of("mouse") == {2330245}
    assert found.of("of") == found.of("xyzing") == frozenset()


def test_wordnet_relates_the_words_that_meteors_own_synonyms_relate() -> None:
    java_meteor()
    try:
        open_wordnet()
    except NotApplicableError as reason:
        pytest.skip(str(reason))
    theirs, ours = synonyms("en", usual_resources()), synonyms("en", Resources())
    assert theirs is not None
    assert ours is not None
    words = (
        *("car", "automobile", "bought", "purchased", "said", "stated", "big", "large", "house"),
        *("home", "running", "ran", "mice"),
    )
    for one in words:
        for other in words:
            related = bool(theirs.of(one) & theirs.of(other))
            assert related == bool(ours.of(one) & ours.of(other)), (one, other)


def table_at(folder: Path, name: str = "paraphrase-en.gz") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / name, "wt", encoding="utf-8") as file:
        file.write("0.5\nwild guinea pigs\ncavies\n")
    return folder


def test_resources_are_found_where_they_are_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_CACHE", str(tmp_path / "cache"))
    folder = table_at(tmp_path / "meteor" / "data").parent
    given = load_metric(f"meteor(resources={folder},matchers=exact+paraphrase)", "de", "en")
    assert str(given) == "meteor(matchers=exact+paraphrase)"  # a path is no part of a name
    signature = str(given.signature(of_references(["a"])))
    assert "|paraphrase:paraphrase-en-" in signature
    matched = measured(given, ["cavies eat grass"], ["wild guinea pigs eat grass"])
    assert matched.statistics[16:18].tolist() == [1, 3]  # content words of either side
    again = pickle.loads(pickle.dumps(given))
    assert str(again.signature(of_references(["a"]))) == signature
    monkeypatch.setenv(ENVIRONMENT, str(folder))
    named = load_metric("meteor(matchers=exact+paraphrase)", "de", "en")
    assert str(named.signature(of_references(["a"]))) != str(
        Meteor().signature(of_references(["a"]))
    )


def test_a_place_without_resources_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a METEOR jar nor a paraphrase table"):
        load_metric(f"meteor(resources={tmp_path})", "de", "en").signature(of_references(["a"]))


def test_a_jar_that_is_none_is_refused(tmp_path: Path) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    jar.write_text("this is no archive")
    with pytest.raises(FormatError, match="no readable METEOR jar"):
        load_metric(f"meteor(resources={jar})", "de", "en").signature(of_references(["a"]))


def test_function_words_may_be_english_as_the_java_program_has_it(tmp_path: Path) -> None:
    java = java_meteor()
    listed = tmp_path / "german.words"
    listed.write_text("\n".join(java.member("function/german.words")), encoding="utf-8")
    outputs, references = ["der Hund in der Stadt"], ["ein Hund in einer Stadt"]
    for function, options in (
        ("english", []),
        ("language", ["-s", str(listed)]),
    ):
        metric = load_metric(f"meteor(function={function},matchers=exact+stem)", "en", "de")
        ours = measured(metric, outputs, references, language="de").segment_statistics
        theirs = java.statistics(
            [(outputs[0], references[0])], "-l", "de", "-norm", "-m", "exact stem", *options
        )
        np.testing.assert_array_equal(ours, theirs)


def test_evidence_shows_the_longest_runs_without_a_match(english: Meteor) -> None:
    output = ["Yesterday the old “grey” cat sat on it.", "A dog."]
    reference = ["The cat was sitting on the mat.", "A dog."]
    found = measured(english, output, reference).evidence
    assert len(found) == 3
    texts = {
        (e.reason, s.text(output if s.side == "output:sys" else reference))
        for e in found
        for s in e.spans
    }
    assert ("not in the reference", "old “grey”") in texts
    assert [e.value for e in found] == sorted((e.value for e in found), reverse=True)


def test_evidence_may_be_everything_or_nothing(english: Meteor) -> None:
    output, reference = ["the cats purchased a car"], ["the cat bought an automobile"]
    everything = measured(replace(english, evidence="all"), output, reference).evidence
    shown = {
        (e.reason, *(s.text(output if s.side == "output:sys" else reference) for s in e.spans))
        for e in everything
    }
    assert {
        ("stem match", "cats", "cat"),
        ("synonym match", "purchased", "bought"),
        ("synonym match", "car", "automobile"),
        ("not in the reference", "a"),
        ("not in the output", "an"),
    } == shown
    assert measured(replace(english, evidence="none"), output, reference).evidence == ()


def test_many_documents_in_many_lots_score_as_one_by_one(
    english: Meteor, monkeypatch: pytest.MonkeyPatch
) -> None:
    translations = [translation([output], [reference]) for output, reference, _ in GOLDEN] * 3
    together = list(english.measure(translations))
    monkeypatch.setattr(metric, "_PAIRS_AT_ONCE", 1)
    monkeypatch.setattr(beam, "_PAIRS_AT_ONCE", 1)
    monkeypatch.setattr(vocabulary, "_MOST_WORDS", 1)
    assert list(english.measure(translations)) == together
