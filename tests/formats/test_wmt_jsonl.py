"""JSON lines of WMT25 and later: whole documents, by paragraphs and by language pairs."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from isogloss.documents import Collection
from isogloss.errors import FormatError, InputError, MismatchError
from isogloss.formats import ReadOptions, assemble, read_collection, recognise
from isogloss.formats.paragraphs import in_paragraphs

RUSSIAN = "WMT26_###_news_###_eng_Latn_###_rus_Cyrl_###_"
EGYPTIAN = "WMT26_###_news_###_eng_Latn_###_arz_Arab_###_"


def put(folder: Path, name: str, *rows: Mapping[str, object]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def source(id: str, text: str, **more: object) -> dict[str, object]:
    return {"doc_id": id, "src_text": text, **more}


def said(id: str, text: str | None) -> dict[str, object]:
    return {"doc_id": id, "hypothesis": text, "metadata": {}}


class TestSources:
    def test_with_their_references(self, tmp_path: Path) -> None:
        path = put(
            tmp_path,
            "wmt26.jsonl",
            source(RUSSIAN + "a", "<p>one</p>\n<p>two</p>", refs={"refA": "<p>1</p><p>2</p>"}),
            source(RUSSIAN + "b", "three", refs={"refA": {"ref": "3", "by": 1}, "B": None}),
            source(RUSSIAN + "c", "four", refs={}, domain="speech"),
        )
        collection = read_collection(path)
        testset = collection.testset
        assert (testset.name, testset.source_language, testset.target_language) == (
            "WMT26", "en", "ru"
        )  # fmt: skip
        assert [document.source for document in testset.documents] == [
            ("one", "two"), ("three",), ("four",)
        ]  # fmt: skip
        assert [document.references["refA"] for document in testset.documents] == [
            ("1", "2"), ("3",), (None,)
        ]  # fmt: skip
        assert [document.domain for document in testset.documents] == ["news", "news", "speech"]
        assert testset.reference_names == ("refA",)

    def test_a_reference_with_other_paragraphs_waits(self, tmp_path: Path) -> None:
        path = put(tmp_path, "x.jsonl", source(RUSSIAN + "a", "one\ntwo", refs={"A": "<p>1 2</p>"}))
        (unsplit,) = read_collection(path).unsplit
        assert (unsplit.name, unsplit.reference) == ("A", True)
        whole = unsplit.texts[RUSSIAN + "a"]
        assert whole is not None
        assert (whole.text, whole.lines) == ("<p>1 2</p>", ("1 2",))

    def test_of_wmt25(self, tmp_path: Path) -> None:
        id = "en-cs_CZ_#_literary_#_book_1"
        path = put(tmp_path, "x.jsonl", source(id, "one"))
        testset = read_collection(path).testset
        assert (testset.source_language, testset.target_language) == ("en", "cs")
        assert testset.documents[0].domain == "literary"

    def test_with_a_translation_beside_each(self, tmp_path: Path) -> None:
        path = put(tmp_path, "best.jsonl", source("a", "one", hypothesis="1", tgt_lang="deu_Latn"))
        collection = read_collection(path)
        assert collection.system_names == ("best",)
        assert collection.testset.target_language == "de"


class TestPairs:
    @pytest.fixture
    def several(self, tmp_path: Path) -> Path:
        rows = (
            source(RUSSIAN + "a", "one"),
            source(EGYPTIAN + "a", "one"),
            source("x", "one", src_lang="cs_CZ", tgt_lang="deu_Latn"),
        )
        return put(tmp_path, "wmt26.jsonl", *rows)

    @pytest.mark.parametrize(
        ("pair", "languages"),
        [
            ("en-ru", ("en", "ru")),
            ("eng_Latn-arz_Arab", ("en", "arz")),
            ("cs-de", ("cs", "de")),
        ],
    )
    def test_are_chosen_in_any_codes(
        self, several: Path, pair: str, languages: tuple[str, str]
    ) -> None:
        testset = read_collection(several, options=ReadOptions(pair=pair)).testset
        assert (testset.source_language, testset.target_language) == languages
        assert len(testset.documents) == 1

    def test_are_those_that_the_submissions_name(self, several: Path, tmp_path: Path) -> None:
        output = put(tmp_path, "best.jsonl", said(EGYPTIAN + "a", "1"))
        collection = assemble(several, [], [output])
        assert collection.testset.target_language == "arz"
        assert collection.outputs[0].documents == {EGYPTIAN + "a": ("1",)}

    def test_have_to_be_chosen(self, several: Path, tmp_path: Path) -> None:
        known = "eng_Latn-rus_Cyrl, eng_Latn-arz_Arab, cs_CZ-deu_Latn"
        with pytest.raises(FormatError, match=f"several language pairs: {known}; choose"):
            read_collection(several)
        with pytest.raises(FormatError, match=f"no language pair 'en-fr'; there are: {known}"):
            read_collection(several, options=ReadOptions(pair="en-fr"))
        both = put(tmp_path, "o.jsonl", said(RUSSIAN + "a", "1"), said(EGYPTIAN + "a", "2"))
        with pytest.raises(FormatError, match=r"o\.jsonl: there are several"):
            assemble(several, [], [both])
        collection = assemble(several, [], [both], options=ReadOptions(pair="en-arz"))
        assert collection.outputs[0].documents == {EGYPTIAN + "a": ("2",)}

    def test_two_scripts_of_one_language_are_two_pairs(self, tmp_path: Path) -> None:
        rows = (
            source(f"{script}", "one", src_lang="en", tgt_lang=f"sr_{script}_RS")
            for script in ("Cyrl", "Latn")
        )
        path = put(tmp_path, "x.jsonl", *rows)
        with pytest.raises(FormatError, match="there are: en-sr_Cyrl_RS, en-sr_Latn_RS"):
            read_collection(path, options=ReadOptions(pair="en-sr"))
        testset = read_collection(path, options=ReadOptions(pair="en-sr_Latn_RS")).testset
        assert [document.id for document in testset.documents] == ["Latn"]

    def test_of_two_submissions_must_be_the_same(self, several: Path, tmp_path: Path) -> None:
        first = put(tmp_path, "a.jsonl", said(RUSSIAN + "a", "1"))
        second = put(tmp_path, "b.jsonl", said(EGYPTIAN + "a", "1"))
        with pytest.raises(MismatchError, match=r"a\.jsonl is of eng_Latn-rus_Cyrl, .* one lang"):
            assemble(several, [], [first, second])


class TestSubmissions:
    def test_with_the_same_paragraphs_keep_their_places(self, tmp_path: Path) -> None:
        path = put(tmp_path, "s.jsonl", source(RUSSIAN + "a", "<p>one</p><p>two</p>"))
        output = put(tmp_path, "best.jsonl", said(RUSSIAN + "a", "eins\n\n<p> zwei drei</p>"))
        (best,) = assemble(path, [], [output]).outputs
        assert (best.name, best.documents) == ("best", {RUSSIAN + "a": ("eins", "zwei drei")})
        cut = best.cuts[RUSSIAN + "a"]
        start, end = cut.handed_in(1, 0, 4)
        assert cut.whole.text[start:end] == "zwei"

    def test_with_other_paragraphs_wait(self, tmp_path: Path) -> None:
        path = put(tmp_path, "s.jsonl", source("a", "one\ntwo"), source("b", "three"))
        output = put(tmp_path, "o.jsonl", said("a", "eins zwei"), said("b", ""))
        collection = assemble(path, [], [output])
        assert collection.outputs == ()
        whole = collection.unsplit[0].texts
        assert [text and text.text for text in whole.values()] == ["eins zwei", ""]

    def test_without_a_text_lack_the_document(self, tmp_path: Path) -> None:
        path = put(tmp_path, "s.jsonl", source("a", "one"), source("b", "two"))
        output = put(tmp_path, "o.jsonl", said("a", "eins"), said("b", None))
        with pytest.raises(MismatchError, match="document 'b' is missing"):
            assemble(path, [], [output])
        allowed = assemble(path, [], [output], options=ReadOptions(allow_missing=True))
        assert allowed.outputs[0].documents == {"a": ("eins",), "b": (None,)}

    def test_are_no_test_set(self, tmp_path: Path) -> None:
        path = put(tmp_path, "o.jsonl", said("a", "eins"))
        with pytest.raises(FormatError, match=r"no line has 'src_text': this is what a system"):
            read_collection(path)
        sources = put(tmp_path, "s.jsonl", source("a", "one"))
        with pytest.raises(FormatError, match=r"no line has 'hypothesis': this is a source"):
            assemble(sources, [], [sources])


class TestRecognition:
    @pytest.mark.parametrize(
        ("row", "name"),
        [
            ({"doc_id": "a", "src_text": "x" * 9000}, "wmt-jsonl"),
            ({"doc_id": "a", "hypothesis": "x" * 9000}, "wmt-jsonl"),
            ({"doc_id": "a", "src": "x", "hypothesis": "x"}, "jsonl"),
            ({"doc_id": "a", "src_text": "x", "tgt_text": {}, "scores": {}}, "esa"),
        ],
    )
    def test_goes_by_keys(self, tmp_path: Path, row: dict[str, object], name: str) -> None:
        assert recognise(put(tmp_path, "a.jsonl", row)).name == name


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"doc_id": 1, "src_text": "x"}, "'doc_id' is missing or of the wrong kind: 1"),
        ({"doc_id": "", "src_text": "x"}, "'doc_id' is empty"),
        ({"src_text": "x"}, "'doc_id' is missing"),
        ({"doc_id": "a", "src_text": ["x"]}, "'src_text' is missing or of the wrong kind"),
        ({"doc_id": "a", "src_text": "x", "refs": ["x"]}, "'refs' is missing or of the wrong"),
        ({"doc_id": "a", "src_text": "x", "refs": {"A": 1}}, "reference 'A' is not a text: 1"),
        ({"doc_id": "a", "src_text": "x", "refs": {"": "y"}}, "reference '' has an empty name"),
        ({"doc_id": "a", "src_text": "<p> </p>"}, "document 'a' has no segments"),
        ({"doc_id": "a", "src_text": "x", "domain": 3}, "'domain' is missing or of the wrong"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, row: Mapping[str, object], complaint: str) -> None:
    path = put(tmp_path, "a.jsonl", row)
    with pytest.raises(InputError, match=complaint):
        read_collection(path)


def test_a_document_twice(tmp_path: Path) -> None:
    path = put(tmp_path, "a.jsonl", source("a", "one"), source("a", "two"))
    with pytest.raises(FormatError, match=r"a\.jsonl:2: document 'a' appears twice"):
        read_collection(path)


def rows_of(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def real(folder: Path, shared_data: Path, structure: str) -> Collection:
    """CUNI-AR against a source of that submission's form, in all pairs that were handed in."""
    data = shared_data / "wmt26-systems"
    texts = {
        row["doc_id"].rpartition("_###_")[2]: row["hypothesis"] for row in rows_of(data / structure)
    }
    rows = [
        source(row["doc_id"], texts[row["doc_id"].rpartition("_###_")[2]])
        for name in ("CUNI-AR.jsonl", "Yandex.jsonl")
        for row in rows_of(data / name)
    ]
    return assemble(put(folder, "wmt26.jsonl", *rows), [], [data / "CUNI-AR.jsonl"])


def test_real_submissions(tmp_path: Path, shared_data: Path) -> None:
    collection = real(tmp_path, shared_data, "CUNI-AR.jsonl")
    testset = collection.testset
    assert (testset.source_language, testset.target_language) == ("en", "arz")
    assert (len(testset.documents), testset.segment_count) == (198, 2367)
    (output,) = collection.outputs
    for id, cut in output.cuts.items():
        assert cut.segments == output.documents[id]
        assert all("<p>" not in segment for segment in cut.segments)


def test_real_submissions_with_other_paragraphs(tmp_path: Path, shared_data: Path) -> None:
    collection = real(tmp_path, shared_data, "Yandex.jsonl")
    (waiting,) = collection.unsplit
    assert (waiting.name, collection.outputs) == ("CUNI-AR", ())
    handed_in = {
        row["doc_id"]: row["hypothesis"]
        for row in rows_of(shared_data / "wmt26-systems" / "CUNI-AR.jsonl")
    }
    assert {id: text and text.text for id, text in waiting.texts.items()} == handed_in
    otherwise = [
        document.id
        for document in collection.testset.documents
        if len(document) != len((waiting.texts[document.id] or in_paragraphs("")).parts)
    ]
    assert 0 < len(otherwise) < len(collection.testset.documents)
