"""The bundled sample is well formed and shows what its README says it shows."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import groupby

import pytest
from sacrebleu.metrics import CHRF

from isogloss.documents import Collection, Document
from isogloss.errors import InputError
from isogloss.formats import read_lines, read_text
from isogloss.sample import SAMPLES, load_sample, sample_path

SYSTEMS = ("steady", "shifting", "tangled")


def output_of(collection: Collection, system: str, document: str) -> list[str]:
    output = next(output for output in collection.outputs if output.name == system)
    return [line for line in output.documents[document] if line is not None]


def occurrences(word: str, lines: list[str] | tuple[str, ...]) -> int:
    """How often an English word or phrase occurs, in the singular or the plural."""
    return len(re.findall(rf"\b{word}s?\b", "\n".join(lines), re.IGNORECASE))


def chrf(collection: Collection, system: str, documents: tuple[Document, ...]) -> float:
    hypotheses = [line for d in documents for line in output_of(collection, system, d.id)]
    references = [
        [line for document in documents for line in document.references[name]]
        for name in collection.testset.reference_names
    ]
    return float(CHRF().corpus_score(hypotheses, references).score)


@pytest.mark.parametrize("name", SAMPLES)
def test_files_are_aligned_and_clean(name: str) -> None:
    files = sorted(path for path in sample_path(name).iterdir() if path.suffix != ".toml")
    assert len({len(read_lines(path)) for path in files}) == 1
    for path in files:
        data = path.read_bytes()
        assert not data.startswith(b"\xef\xbb\xbf"), path
        assert b"\r" not in data, path
        assert data.endswith(b"\n"), path
        text = data.decode("utf-8")
        assert unicodedata.is_normalized("NFC", text), path
        for line in text.removesuffix("\n").split("\n"):
            assert line, path
            assert line == line.strip(), path
            assert not re.search(r"[^\S \t]|  ", line), line


@pytest.mark.parametrize("name", SAMPLES)
def test_documents_are_contiguous(name: str) -> None:
    labels = [line.split("\t")[1] for line in read_lines(sample_path(name) / "documents.tsv")]
    ids = [id for id, _ in groupby(labels)]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("name", "documents", "references", "domains"),
    [
        ("cs-en", 8, ("ref",), {"legal", "news", "audit", "health"}),
        ("zh-en", 6, ("refA", "refB"), {"news", "technology"}),
    ],
)
def test_contents(
    name: str, documents: int, references: tuple[str, ...], domains: set[str]
) -> None:
    collection = load_sample(name)
    testset = collection.testset
    assert testset.name == f"sample-{name}"
    assert f"{testset.source_language}-{testset.target_language}" == name
    assert len(testset.documents) == documents
    assert testset.reference_names == references
    assert {document.domain for document in testset.documents} == domains
    assert collection.system_names == SYSTEMS
    assert all(5 <= len(document) <= 7 for document in testset.documents)


def test_an_unknown_sample_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no sample 'de-en'; there are: cs-en, zh-en"):
        sample_path("de-en")


@pytest.mark.parametrize("name", SAMPLES)
def test_chrf_ranks_the_systems(name: str) -> None:
    collection = load_sample(name)
    scores = [chrf(collection, system, collection.testset.documents) for system in SYSTEMS]
    assert scores[0] > scores[1] + 3 > scores[2] + 13


@pytest.mark.parametrize("name", SAMPLES)
def test_steady_beats_tangled_in_every_document(name: str) -> None:
    # What no document contradicts, a bootstrap over documents must find too.
    collection = load_sample(name)
    for document in collection.testset.documents:
        steady = chrf(collection, "steady", (document,))
        assert steady > chrf(collection, "tangled", (document,)) + 10, document.id


@dataclass(frozen=True)
class Repeated:
    """A source term, how often it occurs, what `steady` always and `shifting` by turns says."""

    sample: str
    document: str
    term: str
    count: int
    steady: str
    shifting: tuple[str, ...]


REPEATED = [
    Repeated(
        "cs-en",
        "lease-flat",
        r"\bnájemc[ei]\b",
        7,
        "tenant",
        ("tenant", "lessee", "renter", "occupant", "leaseholder"),
    ),
    Repeated(
        "cs-en",
        "news-reservoir",
        r"\bsinic\w*",
        5,
        "cyanobacteria",
        ("cyanobacteria", "blue-green algae", "cyanophyte"),
    ),
    Repeated(
        "cs-en",
        "audit-procurement",
        r"\bzadavatel\w*",
        4,
        "contracting authority",
        ("client", "purchaser", "awarding entity", "procuring body"),
    ),
    Repeated(
        "cs-en",
        "leaflet-ointment",
        r"\bmast\b",
        6,
        "ointment",
        ("ointment", "cream", "balm", "salve", "medication"),
    ),
    Repeated(
        "zh-en",
        "news-ferry",
        "班次",
        5,
        "departure",
        ("sailing", "departure", "trip", "more frequent service", "timetable"),
    ),
    Repeated(
        "zh-en",
        "news-orchard",
        "冷库",
        4,
        "cold store",
        ("cold store", "refrigerated warehouse", "cold room", "cold storage facility"),
    ),
    Repeated(
        "zh-en",
        "article-battery",
        "涂层",
        6,
        "coating",
        ("coating", "film", "covering", "layer", "overlay"),
    ),
]


@pytest.mark.parametrize("case", REPEATED, ids=lambda case: f"{case.document}-{case.steady}")
def test_a_repeated_term_stays_in_steady_and_varies_in_shifting(case: Repeated) -> None:
    collection = load_sample(case.sample)
    source = "\n".join(collection.testset.document(case.document).source)
    assert len(re.findall(case.term, source, re.IGNORECASE)) == case.count
    steady = output_of(collection, "steady", case.document)
    assert occurrences(case.steady, steady) == case.count
    assert not any(occurrences(word, steady) for word in case.shifting if word != case.steady)
    shifting = output_of(collection, "shifting", case.document)
    assert all(occurrences(word, shifting) for word in case.shifting)
    assert len(case.shifting) >= 3


# The sample, the document, the two words of the reference, and the one word of `tangled` for both.
MERGED = [
    ("cs-en", "lease-flat", "tenant", "landlord", "tenant"),
    ("cs-en", "sublease-office", "tenant", "subtenant", "tenant"),
    ("cs-en", "audit-grants", "recipient", "provider", "beneficiary"),
    ("cs-en", "audit-procurement", "supplier", "contracting authority", "supplier"),
    ("cs-en", "leaflet-ointment", "doctor", "pharmacist", "doctor"),
    ("cs-en", "vaccination-dog", "dog", "puppy", "dog"),
    ("zh-en", "news-ferry", "passenger", "patient", "patient"),
    ("zh-en", "news-orchard", "fruit grower", "buyer", "merchant"),
    ("zh-en", "news-library", "reader", "volunteer", "reader"),
    ("zh-en", "manual-robot", "robot", "base station", "host"),
    ("zh-en", "guide-backup", "user", "administrator", "user"),
    ("zh-en", "article-battery", "electrode", "electrolyte", "electrode"),
]


@pytest.mark.parametrize(("name", "document", "first", "second", "merged"), MERGED)
def test_tangled_has_one_word_for_two_terms(
    name: str, document: str, first: str, second: str, merged: str
) -> None:
    collection = load_sample(name)
    reference = next(iter(collection.testset.document(document).references.values()))
    wanted = [occurrences(word, reference) for word in (first, second)]
    tangled = output_of(collection, "tangled", document)
    assert min(wanted) > 0
    assert occurrences(merged, tangled) > max(wanted)
    assert not any(occurrences(word, tangled) for word in {first, second} - {merged})


@pytest.mark.parametrize("word", ["sinice", "vyrážka", "personál", "Primátorka"])
def test_tangled_leaves_words_untranslated(word: str) -> None:
    lines = read_lines(sample_path("cs-en") / "tangled.txt")
    assert any(word.lower() in line.lower() for line in lines)


@pytest.mark.parametrize("name", SAMPLES)
def test_shifting_says_every_variant_that_the_readme_lists(name: str) -> None:
    readme = read_text(sample_path(name).parent / "README.md")
    collection = load_sample(name)
    for document in collection.testset.documents:
        row = re.search(rf"^\| `{document.id}` \|(.*)\|$", readme, re.MULTILINE)
        assert row is not None, document.id
        shifting = output_of(collection, "shifting", document.id)
        for term in row[1].split("|")[1].split(";"):
            variants = [variant.strip() for variant in term.split(":")[1].split(",")]
            assert len(variants) >= 3, term
            assert [word for word in variants if not occurrences(word, shifting)] == [], term
