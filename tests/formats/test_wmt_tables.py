"""The layout with small tables of our own, and all real WMT folders where they are at hand."""

import gzip
import lzma
import re
from collections import defaultdict
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from isogloss.errors import FormatError, MismatchError
from isogloss.formats import ReadOptions, recognise, wmt_tables
from isogloss.judgements import Judgement

SEGS = """domain\tdoc\tsrc\tref:A\tref:B
news\td1\tOne.\tEins.\t\\N
news\td1\tTwo.\tZwei.\tZwo.
\t\tThree.\tDrei.\t
news\td2\tFour.\tVier.\tVier!
"""
HYPS = """sys1\tsys2
Ein.\t\\N
Zwei.\tZwei
Dry.\t
Vier.\tvier
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "wmt99" / "en-de"
    folder.mkdir(parents=True)
    put(folder, "segs", SEGS)
    put(folder, "hyps", HYPS)
    return folder


def put(folder: Path, stem: str, text: str) -> None:
    (folder / f"{stem}.tsv").write_text(text, encoding="utf-8")


def test_a_folder_with_segments_is_recognised(folder, tmp_path):
    assert recognise(folder).name == "wmt-tables"
    assert not wmt_tables.recognises(tmp_path, "")
    assert not wmt_tables.recognises(folder / "segs.tsv", SEGS)


def test_texts_are_read(folder):
    collection = wmt_tables.read(folder, ReadOptions())
    testset = collection.testset
    assert (testset.name, testset.source_language, testset.target_language) == ("wmt99", "en", "de")
    assert [document.id for document in testset.documents] == ["d1", "line-3", "d2"]
    first, lone, _ = testset.documents
    assert first.source == ("One.", "Two.")
    assert first.references == {"A": ("Eins.", "Zwei."), "B": (None, "Zwo.")}
    assert (first.domain, lone.domain) == ("news", None)
    assert lone.references["B"] == ("",)  # empty is a text, \N is none
    assert collection.system_names == ("sys1", "sys2")
    assert collection.outputs[1].documents == {
        "d1": (None, "Zwei"),
        "line-3": ("",),
        "d2": ("vier",),
    }


def test_a_person_may_say_otherwise(folder):
    options = ReadOptions(name="mine", source_language="en-GB")
    testset = wmt_tables.read(folder, options).testset
    assert (testset.name, testset.source_language, testset.target_language) == (
        "mine",
        "en-GB",
        "de",
    )
    with pytest.raises(FormatError, match=r"no language pair 'en-fr'; there are: en-de"):
        wmt_tables.read(folder, ReadOptions(pair="en-fr"))


def test_a_folder_that_is_no_language_pair_leaves_languages_open(folder, tmp_path):
    other = folder.rename(tmp_path / "somewhere")
    testset = wmt_tables.read(other, ReadOptions()).testset
    assert (testset.source_language, testset.target_language) == (None, None)


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_tables_may_be_compressed(folder, suffix, compress):
    for stem in ("segs", "hyps"):
        plain = folder / f"{stem}.tsv"
        plain.with_name(plain.name + suffix).write_bytes(compress(plain.read_bytes()))
        plain.unlink()
    assert wmt_tables.recognises(folder, "")
    assert wmt_tables.read(folder, ReadOptions()).testset.segment_count == 4


def test_without_outputs_there_are_no_systems(folder):
    (folder / "hyps.tsv").unlink()
    assert wmt_tables.read(folder, ReadOptions()).outputs == ()


def test_rows_of_a_document_come_together_in_their_order(folder):
    put(folder, "segs", "domain\tdoc\tsrc\n\ta\t1\n\tb\t2\n\ta\t3\n\tb\t4\n")
    put(folder, "human.da", "sys1\n10\n20\n30\n40\n")
    collection = wmt_tables.read(folder, ReadOptions())
    assert {d.id: d.source for d in collection.testset.documents} == {
        "a": ("1", "3"),
        "b": ("2", "4"),
    }
    assert collection.outputs[0].documents == {"a": ("Ein.", "Dry."), "b": ("Zwei.", "Vier.")}
    judged = wmt_tables.read_judgements(folder, "da", collection).segment_means()
    assert judged == {
        ("sys1", "a", 0): 10,
        ("sys1", "a", 1): 30,
        ("sys1", "b", 0): 20,
        ("sys1", "b", 1): 40,
    }


def test_ids_of_lone_rows_never_clash_with_real_ones(folder):
    put(folder, "segs", "domain\tdoc\tsrc\n\tline-2\t1\n\t\t2\n\t\t3\n\tline-9\t4\n")
    ids = [document.id for document in wmt_tables.read(folder, ReadOptions()).testset.documents]
    assert ids == ["line-2", "_line-2", "_line-3", "line-9"]


@pytest.mark.parametrize(
    ("stem", "text", "message"),
    [
        ("segs", "doc\tsrc\nd\ta\n", "segs.tsv:1: the columns should be domain, doc, src"),
        ("segs", "domain\tdoc\tsrc\tref:\n", "segs.tsv:1: the columns should be"),
        ("segs", "domain\tdoc\tsrc\n", "segs.tsv:1: there are no segments"),
        ("segs", "domain\tdoc\tsrc\n\td\n", "segs.tsv:2: 2 columns, but the header has 3"),
        ("segs", "domain\tdoc\tsrc\n\td\t\\N\n", "segs.tsv:2: the source is absent"),
        ("segs", "domain\tdoc\tsrc\nx\td\ta\ny\td\tb\n", "segs.tsv:3: document 'd' has domain 'y'"),
        ("hyps", "s\ts\na\tb\n", "hyps.tsv:1: column 's' appears twice"),
        ("hyps", "s\na\nb\n", "hyps.tsv: has 2 rows, segs.tsv has 4"),
    ],
)
def test_broken_tables_are_refused_with_their_line(folder, stem, text, message):
    put(folder, stem, text)
    with pytest.raises(FormatError, match=re.escape(message)):
        wmt_tables.read(folder, ReadOptions())


def test_judgements_of_segments(folder):
    put(folder, "human.mqm", "sys1\tref:A\tsys2\n-1\t-0.0\t\n-5.5\t\t\n\t\t-2\n0\t\\N\t-3\n")
    put(folder, "human.esa.wave-1", "sys1\n1\n2\n3\n4\n")
    put(folder, "human.sys", "kind\tsystem\tscore\n")
    put(folder, "human.darr", "seg\tbetter\tworse\n0\tsys1\tsys2\n")
    collection = wmt_tables.read(folder, ReadOptions())
    assert wmt_tables.judgement_kinds(folder) == ("esa.wave-1", "mqm")
    judgements = wmt_tables.read_judgements(folder, "mqm", collection)
    assert judgements.kind == "mqm"
    assert judgements.items == (
        Judgement("sys1", "d1", 0, score=-1.0),
        Judgement("sys1", "d1", 1, score=-5.5),
        Judgement("sys1", "d2", 0, score=0.0),
        Judgement("A", "d1", 0, score=0.0, human=True),
        Judgement("sys2", "line-3", 0, score=-2.0),
        Judgement("sys2", "d2", 0, score=-3.0),
    )
    assert str(judgements.items[3].score) == "0.0"
    assert wmt_tables.read_judgements(folder, "mqm", collection.testset) == judgements


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s\n1\nx\n3\n4\n", "human.mqm.tsv:3: 'x' is not a number"),
        ("s\n1\nnan\n3\n4\n", "human.mqm.tsv:3: 'nan' is no score"),
        ("s\n1\n", "human.mqm.tsv: has 1 row, segs.tsv has 4"),
    ],
)
def test_broken_scores_are_refused_with_their_line(folder, text, message):
    put(folder, "human.mqm", text)
    testset = wmt_tables.read(folder, ReadOptions()).testset
    with pytest.raises(FormatError, match=re.escape(message)):
        wmt_tables.read_judgements(folder, "mqm", testset)


def test_an_unknown_kind_is_told_from_the_known_ones(folder):
    put(folder, "human.mqm", "s\n1\n1\n1\n1\n")
    testset = wmt_tables.read(folder, ReadOptions()).testset
    with pytest.raises(FormatError, match=r"no judgements of kind 'da'; there are: mqm"):
        wmt_tables.read_judgements(folder, "da", testset)
    with pytest.raises(FormatError, match=r"no system judgements of kind 'mqm'; there are: none"):
        wmt_tables.read_system_judgements(folder, "mqm", testset)


def test_another_test_set_is_refused(folder, tmp_path):
    put(folder, "human.mqm", "s\n1\n1\n1\n1\n")
    testset = wmt_tables.read(folder, ReadOptions()).testset
    put(folder, "segs", SEGS.replace("d2", "d3"))
    with pytest.raises(MismatchError, match="'wmt99' has other documents than this folder"):
        wmt_tables.read_judgements(folder, "mqm", testset)


def test_judgements_of_systems(folder):
    table = "kind\tsystem\tscore\nmqm\tsys1\t-1.5\nda\tsys1\t70\nmqm\tref:B\t-0.5\nmqm\tsys2\t\n"
    put(folder, "human.sys", table)
    testset = wmt_tables.read(folder, ReadOptions()).testset
    assert wmt_tables.system_judgement_kinds(folder) == ("mqm", "da")
    assert wmt_tables.read_system_judgements(folder, "mqm", testset).items == (
        Judgement("sys1", score=-1.5),
        Judgement("B", score=-0.5, human=True),
    )
    put(folder, "human.sys", "system\tscore\nsys1\t1\n")
    with pytest.raises(FormatError, match=r"human.sys.tsv:1: the columns should be kind, system"):
        wmt_tables.read_system_judgements(folder, "mqm", testset)


def test_stored_metric_scores(folder):
    put(folder, "metric.chrF-A", "sys1\tB\n0.5\t0.1\n0.7\t0.1\n\t0.1\n1\t0.1\n")
    put(folder, "metric.prismSrc-src", "sys1\n-1\n-2\n-3\n-4\n")
    put(folder, "metrics.sys", "metric\tsystem\tscore\nchrF-A\tsys1\t55.5\n")
    testset = wmt_tables.read(folder, ReadOptions()).testset
    table = wmt_tables.read_metric_scores(folder, testset)
    assert [metric.name for metric in table.metrics] == ["chrF-A", "prismSrc-src"]
    assert table.provenance.references == ("A",)
    row = table["chrF-A", "sys1"]
    assert (row.score, row.scored, row.total) == (55.5, 3, 4)
    assert row.documents[0].measurement.statistics.tolist() == [1.2, 2.0]
    assert row.documents[1].measurement.segment_scores == (None,)
    assert table["prismSrc-src", "sys1"].score is None
    assert table["chrF-A", "B"].human


def test_without_metric_tables_there_are_no_stored_scores(folder):
    testset = wmt_tables.read(folder, ReadOptions()).testset
    with pytest.raises(FormatError, match=re.escape("no tables metric.NAME-REF.tsv")):
        wmt_tables.read_metric_scores(folder, testset)


# --- the real thing ------------------------------------------------------------------------------


def described(wmt: Path) -> dict[tuple[str, str], list[str]]:
    """The rows of the table at the end of DATA.md, by set and language pair."""
    lines = (wmt / "DATA.md").read_text(encoding="utf-8").splitlines()
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return {
        (row[0], row[1]): row
        for row in rows
        if len(row) == 9 and re.fullmatch("[a-z]{2}-[a-z]{2}", row[1])
    }


def test_every_real_folder_is_what_its_description_says(shared_data):
    wmt = shared_data / "wmt"
    told = described(wmt)
    folders = sorted({path.parent for path in wmt.glob("*/*/segs.tsv*")})
    assert [(folder.parent.name, folder.name) for folder in folders] == sorted(told)
    for folder in folders:
        _, _, segments, documents, _, domains, references, systems, human = told[
            folder.parent.name, folder.name
        ]
        collection = wmt_tables.read(folder, ReadOptions())
        testset = collection.testset
        real = [d for d in testset.documents if not d.id.startswith("line-")]
        assert testset.segment_count == int(segments)
        assert len(real) == (0 if documents == "-" else int(documents))
        assert len({d.domain for d in testset.documents} - {None}) == int(domains)
        assert len(testset.reference_names) == int(references)
        assert len(collection.outputs) == int(systems)
        for kind in wmt_tables.judgement_kinds(folder):
            items = wmt_tables.read_judgements(folder, kind, collection).items
            counts = re.search(rf"(?:^|; ){re.escape(kind)}: (\d+) x (\d+) \((\d+)\)", human)
            assert counts, (folder, kind)
            assert [
                len({i.system for i in items}),
                len({(i.document, i.segment) for i in items}),
            ] == [
                int(counts[1]),
                int(counts[2]),
            ]
            assert len(items) == int(counts[3])
            assert all(i.human == (i.system in testset.reference_names) for i in items)


def test_wmt23_means_are_the_official_scores(shared_data):
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = wmt_tables.read(folder, ReadOptions())
    assert len(collection.testset.documents) == 192
    scores = defaultdict(list)
    for item in wmt_tables.read_judgements(folder, "mqm", collection).items:
        scores[item.system].append(item.score)
    official = wmt_tables.read_system_judgements(folder, "mqm", collection).items
    assert len(official) == 13
    for item in official:
        assert fmean(scores[item.system]) == pytest.approx(item.score, abs=5e-7)


def test_wmt23_stored_metrics(shared_data):
    folder = shared_data / "wmt" / "wmt23" / "en-de"
    collection = wmt_tables.read(folder, ReadOptions())
    table = wmt_tables.read_metric_scores(folder, collection)
    assert len(table.metrics) == 20
    assert table.provenance.references == ("refA",)
    assert {row.system for row in table.rows if row.human} == {"refA", "synthetic_ref"}
    machines = [row for row in table.of_metric("COMET-refA") if not row.human]
    assert {row.system for row in machines} == set(collection.system_names)
    for row in machines:  # COMET's official system score is the mean of its segments
        total = np.sum([d.measurement.statistics for d in row.documents], axis=0)
        assert total[1] == 557
        assert total[0] / total[1] == pytest.approx(row.score, abs=1e-5)
