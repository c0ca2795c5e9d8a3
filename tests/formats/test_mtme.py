"""mt-metrics-eval folders, made here in the layout that its README specifies."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.errors import FormatError, InputError
from isogloss.formats import ReadOptions, mtme, recognise, wmt_tables
from isogloss.judgements import Judgement

ABSENT = "[No translation supplied]"
FILES = {
    "documents/en-de.docs": "news\td1\nnews\td1\nchat\td2\n",
    "sources/en-de.txt": "One.\nTwo.\nThree.\n",
    "references/en-de.refA.txt": f"Eins.\nZwei.\n{ABSENT}\n",
    "references/en-de.refB.txt": "Eins!\nZwo!\nDrei!\n",
    "system-outputs/en-de/Online-A.0.txt": f"Ein.\n{ABSENT}\nDry.\n",
    "system-outputs/en-de/refA.txt": f"Eins.\nZwei.\n{ABSENT}\n",
}


def put(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return put(tmp_path / "wmt99", FILES)


def test_a_folder_of_mtme_is_recognised(folder, tmp_path):
    assert recognise(folder).name == "mtme"
    assert not mtme.recognises(tmp_path, "")
    (folder / "documents" / "en-de.docs").unlink()
    assert not mtme.recognises(folder, "")


def test_texts_are_read(folder):
    collection = mtme.read(folder, ReadOptions())
    testset = collection.testset
    assert (testset.name, testset.source_language, testset.target_language) == ("wmt99", "en", "de")
    assert testset.documents == (
        Document(
            "d1", ("One.", "Two."), {"refA": ("Eins.", "Zwei."), "refB": ("Eins!", "Zwo!")}, "news"
        ),
        Document("d2", ("Three.",), {"refA": (None,), "refB": ("Drei!",)}, "chat"),
    )
    assert collection.outputs == (
        SystemOutput("Online-A.0", {"d1": ("Ein.", None), "d2": ("Dry.",)}),
        SystemOutput("refA", {"d1": ("Eins.", "Zwei."), "d2": (None,)}, human=True),
    )


def test_domain_and_document_may_be_separated_by_blanks(folder):
    put(folder, {"documents/en-de.docs": "news   d1\nnews   d1\n- d2\n"})
    documents = mtme.read(folder, ReadOptions()).testset.documents
    assert [(d.id, d.domain) for d in documents] == [("d1", "news"), ("d2", None)]


def test_json_lines_hold_texts_with_line_breaks(folder):
    (folder / "sources" / "en-de.txt").unlink()
    texts = ["One.", "Two\nlines.", "Three."]
    outputs = ["Eins.", None, "Drei\n."]
    put(
        folder,
        {
            "sources/en-de.jsonl": "".join(json.dumps({"source": t}) + "\n" for t in texts),
            "references/en-de.refC.jsonl": "".join(
                json.dumps({"target": t}) + "\n" for t in outputs
            ),
            "system-outputs/en-de/s.jsonl": "".join(
                json.dumps({"hypothesis": t}) + "\n" for t in outputs
            ),
        },
    )
    collection = mtme.read(folder, ReadOptions())
    assert collection.testset.documents[0].source == ("One.", "Two\nlines.")
    assert collection.testset.documents[0].references["refC"] == ("Eins.", None)
    assert collection.with_systems(["s"]).outputs[0].documents["d2"] == ("Drei\n.",)


def test_one_of_several_pairs_has_to_be_chosen(folder):
    put(folder, {"documents/en-zh_CN.docs": "news\tx\n", "sources/en-zh_CN.txt": "Hi\n"})
    with pytest.raises(FormatError, match=r"several language pairs: en-de, en-zh_CN; choose"):
        mtme.read(folder, ReadOptions())
    with pytest.raises(FormatError, match=r"no language pair 'en-fr'; there are: en-de, en-zh_CN"):
        mtme.read(folder, ReadOptions(pair="en-fr"))
    for pair in ("en-zh_CN", "en-zh-CN"):
        testset = mtme.read(folder, ReadOptions(pair=pair)).testset
        assert (testset.source_language, testset.target_language) == ("en", "zh-CN")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("documents/en-de.docs", "news\td1\n", "en-de.docs: has 1 line"),
        ("references/en-de.refA.txt", "Eins.\n", "en-de.refA.txt: has 1 line, the source has 3"),
        ("system-outputs/en-de/s.txt", "1\n2\n3\n4\n", "s.txt: has 4 lines, the source has 3"),
        ("sources/en-de.txt", f"One.\n{ABSENT}\nThree.\n", "en-de.txt:2: the source is absent"),
        ("references/en-de.refA.jsonl", "{}\n", "refA.txt: en-de.refA.jsonl gives the same text"),
        (
            "references/en-de.refC.jsonl",
            '{"target": "a"}\n{}\n',
            "refC.jsonl:2: this is no JSON object",
        ),
        ("references/en-de.refC.jsonl", '{"target": 1}\n', "refC.jsonl:1: 'target' is not a text"),
    ],
)
def test_broken_files_are_refused(folder, name, text, message):
    put(folder, {name: text})
    with pytest.raises(FormatError, match=re.escape(message)):
        mtme.read(folder, ReadOptions())


def test_a_folder_without_sources_is_refused(tmp_path):
    with pytest.raises(FormatError, match=re.escape("there are no sources/SOURCE-TARGET.txt")):
        mtme.read(tmp_path, ReadOptions())


# --- writing -------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
names = st.text("abcXYZ019_äß", min_size=1, max_size=8)
words = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=6)


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    references = draw(
        st.lists(names.filter(lambda n: n not in ("all", "src")), max_size=2, unique=True)
    )
    documents = []
    for id in draw(st.lists(words, min_size=1, max_size=3, unique=True)):
        size = draw(st.integers(1, 3))
        lines = st.lists(st.none() | texts, min_size=size, max_size=size)
        source = draw(st.lists(texts, min_size=size, max_size=size))
        sides = {name: tuple(draw(lines)) for name in sorted(references)}
        domain = draw(st.none() | words.filter(lambda word: word != "-"))
        documents.append(Document(id, tuple(source), sides, domain))
    systems = draw(st.lists(names, max_size=2, unique=True))
    outputs = [
        SystemOutput(
            name,
            {
                d.id: tuple(draw(st.lists(st.none() | texts, min_size=len(d), max_size=len(d))))
                for d in documents
            },
            human=name in references,
        )
        for name in sorted(systems)
    ]
    target = draw(st.sampled_from(["de", "pt-BR"]))
    return Collection(TestSet("made", "en", target, tuple(documents)), tuple(outputs))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(collection=collections())
def test_what_is_written_is_read_back(collection, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mtme") / "made"
    mtme.write(collection, folder)
    assert mtme.read(folder, ReadOptions()) == collection


def test_plain_texts_are_written_as_text_files(folder, tmp_path):
    mtme.write(mtme.read(folder, ReadOptions()), tmp_path / "copy")
    written = {
        str(path.relative_to(tmp_path / "copy")): path.read_text(encoding="utf-8")
        for path in (tmp_path / "copy").rglob("*")
        if path.is_file()
    }
    assert written == FILES


def tiny(**changes: object) -> Collection:
    testset = TestSet("tiny", "en", "de", (Document("d", ("a",), {"refA": ("b",)}),))
    return Collection(replace(testset, **changes))


def with_outputs(*outputs: SystemOutput) -> Collection:
    return replace(tiny(), outputs=outputs)


@pytest.mark.parametrize(
    ("collection", "message"),
    [
        (tiny(target_language=None), "say its languages"),
        (
            tiny(documents=(Document("a b", ("x",)),)),
            "separates domain and document by white space",
        ),
        (tiny(documents=(Document("a", ("x",), domain="-"),)), "nor may a domain be '-'"),
        (tiny(documents=(Document("a", ("x",), domain=""),)), "by white space"),
        (tiny(documents=(Document("a", ("x",), {"ref-A": ("y",)}),)), "a reference called 'ref-A'"),
        (tiny(documents=(Document("a", ("x",), {"all": ("y",)}),)), "a reference called 'all'"),
        (with_outputs(SystemOutput("a/b", {"d": ("x",)})), "no file can be called like 'a/b'"),
        (with_outputs(SystemOutput("s", {"d": ("x",)}, human=True)), "takes for human"),
        (with_outputs(SystemOutput("refA", {"d": ("x",)})), "takes for human"),
    ],
)
def test_what_mtme_cannot_hold_is_refused_before_anything_is_written(collection, message, tmp_path):
    with pytest.raises(InputError, match=re.escape(message)):
        mtme.write(collection, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_pairs_share_a_folder_but_are_not_mixed(folder):
    with pytest.raises(InputError, match=r"holds en-de already; remove it or choose another"):
        mtme.write(tiny(), folder)
    mtme.write(tiny(target_language="fr"), folder)
    assert mtme.pairs(folder) == ("en-de", "en-fr")


# --- scores --------------------------------------------------------------------------------------


def test_human_scores_of_every_level(folder):
    put(
        folder,
        {
            "human-scores/en-de.mqm.seg.score": (
                "refA\t-0.0\nrefA\tNone\nrefA\t-1\ns\t-5\ns\t-2.5\ns\tNone\n"
            ),
            "human-scores/en-de.wmt-z.v2.doc.score": "s 0.5\ns None\n",
            "human-scores/en-de.mqm.sys.score": "s\t-3.75\nrefA\tNone\n",
            "human-scores/en-de.mqm.domain.score": "news\ts\t-1\n",
            "human-scores/en-fr.mqm.seg.score": "",
        },
    )
    testset = mtme.read(folder, ReadOptions()).testset
    assert mtme.judgement_kinds(folder) == ("mqm",)
    assert mtme.judgement_kinds(folder, "doc") == ("wmt-z.v2",)
    segments = mtme.read_judgements(folder, "mqm", testset)
    assert (segments.kind, segments.items) == (
        "mqm",
        (
            Judgement("refA", "d1", 0, score=0.0, human=True),
            Judgement("refA", "d2", 0, score=-1.0, human=True),
            Judgement("s", "d1", 0, score=-5.0),
            Judgement("s", "d1", 1, score=-2.5),
        ),
    )
    documents = mtme.read_judgements(folder, "wmt-z.v2", testset, "doc")
    assert documents.items == (Judgement("s", "d1", score=0.5),)
    systems = mtme.read_judgements(folder, "mqm", testset, "sys")
    assert systems.items == (Judgement("s", score=-3.75),)


def test_the_test_set_tells_which_pair_is_meant(folder):
    put(
        folder,
        {
            "documents/en-fr.docs": "news\tx\n",
            "sources/en-fr.txt": "Hi\n",
            "human-scores/en-fr.da.seg.score": "s\t90\n",
        },
    )
    testset = mtme.read(folder, ReadOptions(pair="en-fr")).testset
    assert mtme.read_judgements(folder, "da", testset).items == (
        Judgement("s", "x", 0, score=90.0),
    )
    with pytest.raises(FormatError, match="en-de has no human scores 'da' at level 'seg'"):
        mtme.read_judgements(folder, "da", testset, pair="en-de")
    with pytest.raises(InputError, match="there is no level 'domain'"):
        mtme.read_judgements(folder, "da", testset, "domain")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s\t1\ns\tx\ns\t1\n", "score:2: 'x' is no score"),
        ("s\t1\ns\tinf\ns\t1\n", "score:2: 'inf' is no score; write None"),
        ("s 1 2\n", "score:1: expected a system and a score"),
        ("s\t1\ns\t1\n", "'s' has 2 scores, 3 are needed"),
        ("s\t1\ns\t1\ns\t1\ns\t1\n", "score:4: 's' has more than 3 scores"),
    ],
)
def test_broken_scores_are_refused(folder, text, message):
    put(folder, {"human-scores/en-de.mqm.seg.score": text})
    testset = mtme.read(folder, ReadOptions()).testset
    with pytest.raises(FormatError, match=re.escape(message)):
        mtme.read_judgements(folder, "mqm", testset)


def test_metric_scores_of_all_levels_come_together(folder):
    put(
        folder,
        {
            "metric-scores/en-de/chrF-refA.seg.score": "s\t1\ns\t2\ns\t3\n" + 3 * "refB\t1\n",
            "metric-scores/en-de/chrF-refA.sys.score": "s\t55\nrefB\t60\n",
            "metric-scores/en-de/docCOMET-src.doc.score": "s\t0.1\ns\t0.2\n",
            "metric-scores/en-de/BLEU-refA.refB.sys.score": "s\t30\n",
        },
    )
    testset = mtme.read(folder, ReadOptions()).testset
    table = mtme.read_metric_scores(folder, testset)
    assert [metric.name for metric in table.metrics] == [
        "BLEU-refA.refB",
        "chrF-refA",
        "docCOMET-src",
    ]
    assert table.provenance.references == ("refA", "refB")
    chrf = table["chrF-refA", "s"]
    assert (chrf.score, chrf.scored, chrf.total) == (55.0, 3, 3)
    assert chrf.documents[0].measurement.segment_scores == (1.0, 2.0)
    assert table["chrF-refA", "refB"].human
    comet = table["docCOMET-src", "s"]
    assert [document.score for document in comet.documents] == [0.1, 0.2]
    assert (comet.score, comet.scored) == (None, 0)
    assert table["BLEU-refA.refB", "s"].score == 30.0


def test_without_metric_files_there_are_no_scores(folder):
    testset = mtme.read(folder, ReadOptions()).testset
    with pytest.raises(FormatError, match=re.escape("no files METRIC-REF.LEVEL.score")):
        mtme.read_metric_scores(folder, testset)


def test_a_real_test_set_survives_the_way_through(shared_data, tmp_path):
    real = shared_data / "wmt" / "wmt23" / "en-de"
    collection = wmt_tables.read(real, ReadOptions())
    mtme.write(collection, tmp_path / "wmt23")
    assert mtme.read(tmp_path / "wmt23", ReadOptions()) == collection
