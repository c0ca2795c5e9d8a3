"""Documents, test sets and collections: what fits is accepted, what does not says so."""

import pickle

import pytest

from isogloss.documents import (
    Collection,
    Document,
    SystemOutput,
    TestSet,
    Unsplit,
    with_absent_documents,
)
from isogloss.errors import InputError, MismatchError
from isogloss.wholes import Cut, WholeText


def two_documents() -> TestSet:
    return TestSet(
        "t",
        "cs",
        "en",
        (
            Document("a", ("jedna", "dvě"), {"ref": ("one", "two")}, "news"),
            Document("b", ("tři",), {"ref": ("three",), "other": (None,)}),
        ),
    )


def test_every_document_lists_every_reference() -> None:
    testset = two_documents()
    assert testset.reference_names == ("ref", "other")
    assert testset.document("a").references["other"] == (None, None)
    assert testset.segment_count == 3


def test_the_nouns_cannot_be_changed() -> None:
    testset = two_documents()
    with pytest.raises(AttributeError):
        testset.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        testset.documents[0].references["ref"] = ()  # type: ignore[index]


def test_the_nouns_pickle_and_hash() -> None:
    collection = Collection(two_documents(), (SystemOutput("s", {"a": ("1", "2"), "b": ("3",)}),))
    assert pickle.loads(pickle.dumps(collection)) == collection
    assert hash(collection.testset.documents[0]) == hash(two_documents().documents[0])


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Document("", ("x",)), "empty id"),
        (lambda: Document("a", ()), "document 'a' has no segments"),
        (
            lambda: Document("a", ("x", "y"), {"r": ("1",)}),
            "reference 'r': document 'a' has 1 segment, the source has 2",
        ),
        (lambda: TestSet("t", None, None, ()), "test set 't' has no documents"),
        (
            lambda: TestSet("t", None, None, (Document("a", ("x",)), Document("a", ("y",)))),
            "document 'a' appears twice",
        ),
        (lambda: SystemOutput("", {}), "empty name"),
        (lambda: two_documents().with_references(["nope"]), "it has: ref, other"),
        (lambda: two_documents().document("z"), "no document 'z'"),
    ],
)
def test_what_is_wrong_is_refused(make: object, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        make()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("documents", "complaint"),
    [
        ({"a": ("1", "2")}, "system 's': document 'b' is missing"),
        ({"a": ("1", "2"), "b": ("3",), "c": ("4",)}, "document 'c' is not in test set 't'"),
        ({"a": ("1",), "b": ("3",)}, "document 'a' has 1 segment, the source has 2"),
    ],
)
def test_outputs_that_do_not_fit_are_refused(
    documents: dict[str, tuple[str, ...]], complaint: str
) -> None:
    with pytest.raises(MismatchError, match=complaint):
        Collection(two_documents(), (SystemOutput("s", documents),))


def test_outputs_are_put_into_the_order_of_the_test_set() -> None:
    output = SystemOutput("s", {"b": ("3",), "a": ("1", "2")})
    (paired,) = Collection(two_documents(), (output,)).outputs
    assert list(paired.documents) == ["a", "b"]


def test_two_systems_of_one_name_are_refused() -> None:
    output = SystemOutput("s", {"a": ("1", "2"), "b": ("3",)})
    with pytest.raises(InputError, match="system 's' appears twice"):
        Collection(two_documents(), (output, output))


def test_missing_documents_can_be_made_absent() -> None:
    testset = two_documents()
    output = with_absent_documents(testset, SystemOutput("s", {"b": ("3",)}))
    assert output.documents["a"] == (None, None)
    Collection(testset, (output,))


def test_choosing_systems_and_references() -> None:
    outputs = tuple(SystemOutput(name, {"a": ("1", "2"), "b": ("3",)}) for name in "xyz")
    collection = Collection(two_documents(), outputs)
    assert collection.with_systems(["z", "x"]).system_names == ("z", "x")
    assert collection.with_references(["ref"]).testset.reference_names == ("ref",)
    with pytest.raises(InputError, match="there are: x, y, z"):
        collection.with_systems(["nope"])


def test_the_digest_sees_every_text() -> None:
    base = two_documents()
    moved = TestSet(
        "t",
        "cs",
        "en",
        (
            Document("a", ("jednad", "vě"), {"ref": ("one", "two")}, "news"),
            base.documents[1],
        ),
    )
    renamed = TestSet("another name", "cs", "en", base.documents)
    digests = {base.digest(), moved.digest(), base.with_references(["ref"]).digest()}
    assert len(digests) == 3
    assert renamed.digest() == base.digest()


def test_some_documents_only() -> None:
    base = two_documents()
    first, second = (document.id for document in base.documents)
    output = SystemOutput("s", {d.id: ("x",) * len(d) for d in base.documents})
    narrowed = Collection(base, (output,)).with_documents([second])
    assert [document.id for document in narrowed.testset.documents] == [second]
    assert list(narrowed.outputs[0].documents) == [second]
    assert first not in narrowed.outputs[0].documents


WHOLE = {"b": WholeText.of_lines(["3"]), "a": WholeText.of_lines(["1 2"])}


def with_unsplit() -> Collection:
    """A system and a reference that are split like the source, and one of each that are not."""
    output = SystemOutput(
        "split", {"a": ("1", "2"), "b": ("3",)}, cuts={"a": Cut.at_parts(WholeText.of_lines("12"))}
    )
    waiting = Unsplit("whole", WHOLE), Unsplit("book", WHOLE, reference=True)
    return Collection(two_documents(), (output,), waiting)


def test_texts_that_are_not_split_like_the_source_wait() -> None:
    collection = with_unsplit()
    assert collection.system_names == ("split",)
    assert list(collection.unsplit[0].texts) == ["a", "b"]
    assert repr(collection).endswith(
        "systems: split\nnot split like the source: system whole, reference book"
    )
    assert pickle.loads(pickle.dumps(collection)) == collection


def test_a_document_may_be_absent_from_what_waits() -> None:
    partial = Unsplit("whole", {"a": None, "b": WHOLE["b"]})
    (waiting,) = Collection(two_documents(), unsplit=(partial,)).unsplit
    assert waiting.texts["a"] is None


@pytest.mark.parametrize(
    ("unsplit", "complaint"),
    [
        (Unsplit("s", {"a": WHOLE["a"]}), "system 's': document 'b' is missing"),
        (Unsplit("s", WHOLE | {"c": WHOLE["a"]}), "document 'c' is not in test set 't'"),
        (Unsplit("r", {}, reference=True), "reference 'r': document 'a' is missing"),
        (Unsplit("split", WHOLE), "system 'split' appears twice"),
        (Unsplit("ref", WHOLE, reference=True), "reference 'ref' appears twice"),
    ],
)
def test_what_waits_must_fit(unsplit: Unsplit, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Collection(two_documents(), with_unsplit().outputs, (unsplit,))


def test_a_reference_that_waits_may_have_the_name_of_a_system() -> None:
    unsplit = Unsplit("split", WHOLE, reference=True)
    assert Collection(two_documents(), with_unsplit().outputs, (unsplit,)).unsplit == (unsplit,)


def test_choosing_among_what_waits() -> None:
    collection = with_unsplit()
    whole = collection.with_systems(["whole"])
    assert (whole.system_names, [u.name for u in whole.unsplit]) == ((), ["book", "whole"])
    split = collection.with_systems(["split"])
    assert (split.system_names, [u.name for u in split.unsplit]) == (("split",), ["book"])
    with pytest.raises(InputError, match="there are: split, whole"):
        collection.with_systems(["book"])
    book = collection.with_references(["book"])
    assert book.testset.reference_names == ()
    assert [u.name for u in book.unsplit] == ["book", "whole"]
    ref = collection.with_references(["ref"])
    assert [u.name for u in ref.unsplit] == ["whole"]
    with pytest.raises(InputError, match="it has: ref, other, book"):
        collection.with_references(["whole"])


def test_choosing_documents_of_what_waits() -> None:
    narrowed = with_unsplit().with_documents(["b"])
    assert [list(unsplit.texts) for unsplit in narrowed.unsplit] == [["b"], ["b"]]
    assert narrowed.outputs[0].cuts == {}
    assert list(with_unsplit().with_documents(["a"]).outputs[0].cuts) == ["a"]


@pytest.mark.parametrize("reference", [False, True])
def test_what_waits_has_a_name(reference: bool) -> None:
    with pytest.raises(InputError, match="reference has" if reference else "system has"):
        Unsplit("", WHOLE, reference)
