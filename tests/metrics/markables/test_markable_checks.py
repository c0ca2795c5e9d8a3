"""Each check on small documents whose links are given, so that what it must find is plain."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from isogloss.alignment import SegmentAlignment, TokenPair
from isogloss.documents import Document, SystemOutput, TestSet, Translation
from isogloss.metrics.markables import (
    Aligned,
    Finding,
    Phenomenon,
    Term,
    TranslationView,
    Version,
    WordReader,
    align_versions,
)
from isogloss.metrics.markables.checks import CHECKS, PRECISE, findings
from isogloss.metrics.markables.examination import Examiner
from isogloss.metrics.markables.lexicon import SETTINGS, SEVERITY, Lexicon, alike
from isogloss.metrics.markables.markable import (
    is_acronym,
    is_name,
    is_roman,
    markables_in,
    numbers_in,
)
from isogloss.spans import output_side, reference_side


class Linked:
    """Links the words that it is told to, by their spelling."""

    name = "linked"

    def __init__(self, *links: tuple[str, str]) -> None:
        self.links = links

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        return [
            SegmentAlignment(tuple((one.index(s), other.index(t)) for s, t in self.links))
            for one, other in pairs
        ]


class InOrder:
    """Links the n-th word with the n-th word."""

    name = "in-order"

    def align(self, pairs: Sequence[TokenPair]) -> list[SegmentAlignment]:
        return [
            SegmentAlignment(tuple((n, n) for n in range(min(len(one), len(other)))))
            for one, other in pairs
        ]


def aligned(document: Document, lines: Sequence[str], side: str) -> Aligned:
    version = Version(document, side.partition(":")[2], side, tuple(lines))
    (found,) = align_versions([version], InOrder(), WordReader("en").read, WordReader("cs").read)
    return found


def found_in(
    source: Sequence[str],
    output: Sequence[str],
    terms: Sequence[str],
    reference: Sequence[str] | None = None,
    phenomena: Sequence[Phenomenon] = (*PRECISE, Phenomenon.CONFLICT),
) -> list[Finding]:
    document = Document("d", tuple(source))
    mine = aligned(document, output, output_side("s"))
    theirs = aligned(document, reference, reference_side("r")) if reference else None
    company = [mine] if theirs is None else [mine, theirs]
    markables = markables_in(document, [Term((term,)) for term in terms])
    return findings(TranslationView(mine, Lexicon(markables, company, SETTINGS), theirs), phenomena)


def kinds(found: Sequence[Finding]) -> list[tuple[str, int]]:
    return [(f.phenomenon.value, f.occurrence.segment) for f in found]


def test_inconsistency_compares_with_the_occurrence_before() -> None:
    source = ["old lease here", "new lease there", "third lease now"]
    output = ["stará smlouva zde", "nový kontrakt tam", "třetí kontrakt teď"]
    found = found_in(source, output, ["lease"])
    assert kinds(found) == [("inconsistency", 1)]
    (place,) = found[0].places
    assert output[1][place.start : place.end] == "kontrakt"
    assert place.side == "output:s"
    assert found[0].note == "before: smlouva"


def test_an_inflected_form_is_the_same_word() -> None:
    source = ["old lease here", "new lease there"]
    assert found_in(source, ["stará smlouva zde", "nové smlouvě tam"], ["lease"]) == []


LEASE = ["the tenant pays", "the owner pays", "the tenant left", "the owner left"]
MERGED = ["ten nájemce platí", "ten nájemce platí", "ten nájemce odešel", "ten nájemce odešel"]
RIGHT = ["ten nájemce platí", "ten vlastník platí", "ten nájemce odešel", "ten vlastník odešel"]


def test_conflict_is_two_terms_in_one_word() -> None:
    found = found_in(LEASE, MERGED, ["tenant", "owner"])
    assert kinds(found) == [("conflict", segment) for segment in range(4)]
    assert found[0].note == "also: owner"
    # Readers cannot tell which is meant, also where the reference has the same word.
    known = found_in(LEASE, MERGED, ["tenant", "owner"], RIGHT)
    assert kinds(known) == [("conflict", segment) for segment in range(4)]
    assert found_in(LEASE, RIGHT, ["tenant", "owner"], MERGED) == []


def test_a_reference_makes_one_merged_occurrence_enough() -> None:
    source, output, reference = LEASE[:3], MERGED[:3], RIGHT[:3]
    known = found_in(source, output, ["tenant", "owner"], reference)
    assert kinds(known) == [("conflict", segment) for segment in range(3)]
    assert found_in(source, output, ["tenant", "owner"]) == []


def test_a_rare_rendering_is_no_merged_term() -> None:
    more = ["came", "saw", "won", "lost"]

    def found(times: int) -> list[Finding]:
        """One of so many owners is rendered as a tenant."""
        source = [*LEASE, *(f"the owner {verb}" for verb in more[: times - 2])]
        right = [*RIGHT, *(f"ten vlastník {verb}" for verb in more[: times - 2])]
        output = [right[0], MERGED[1], *right[2:]]
        return found_in(source, output, ["tenant", "owner"], right, [Phenomenon.CONFLICT])

    assert kinds(found(5)) == [("conflict", 0), ("conflict", 1), ("conflict", 2)]
    assert found(6) == []


def test_derived_words_of_the_source_are_no_two_terms() -> None:
    source = ["the lodger pays", "the lodging pays", "the lodger left", "the lodging left"]
    assert found_in(source, MERGED, ["lodger", "lodging"], RIGHT) == []


def test_a_word_that_is_no_markable_makes_no_conflict() -> None:
    assert found_in(LEASE, MERGED, ["tenant"], RIGHT) == []


def test_what_the_reference_merges_too_is_no_conflict() -> None:
    assert found_in(LEASE, MERGED, ["tenant", "owner"], MERGED) == []


def test_a_word_of_its_own_sets_a_term_apart() -> None:
    apart = [line.replace("nájemce", "nájemce domu", 1) for line in MERGED[1::2]]
    output = [MERGED[0], apart[0], MERGED[2], apart[1]]
    source = [line.replace("owner", "house owner") for line in LEASE]
    found = found_in(source, output, ["house owner", "tenant"], [*RIGHT])
    assert kinds(found) == []


def test_one_link_may_be_a_mistake_and_is_no_conflict() -> None:
    source = ["the audit found", "the control found", "the control lost"]
    output = ["ta kontrola našla", "ta kontrola našla", "ta kontrola ztratila"]
    assert found_in(source, output, ["audit", "control"]) == []


def test_a_word_that_the_other_term_of_the_segment_needs_is_no_conflict() -> None:
    source = ["owner tenant pays", "owner tenant left"]
    output = ["nájemce ten platí", "nájemce ten odešel"]
    document = Document("d", tuple(source))
    version = Version(document, "s", output_side("s"), tuple(output))
    (mine,) = align_versions([version], InOrder(), WordReader("en").read, WordReader("cs").read)
    terms = [Term(("owner",)), Term(("tenant",))]
    lexicon = Lexicon(markables_in(document, terms), [mine], SETTINGS)
    assert findings(TranslationView(mine, lexicon), [Phenomenon.CONFLICT]) == []


def test_disappearance_counts_half_where_the_reference_lacks_it_too() -> None:
    source, gone = ["we signed the lease"], [Phenomenon.DISAPPEARANCE]
    (alone,) = found_in(source, ["my podepsali"], ["lease"], phenomena=gone)
    assert alone.phenomenon is Phenomenon.DISAPPEARANCE
    assert alone.places == ()
    reference = ["my podepsali tu smlouvu"]
    (sure,) = found_in(source, ["my podepsali"], ["lease"], reference, phenomena=gone)
    (doubtful,) = found_in(source, ["my podepsali"], ["lease"], ["my podepsali"], phenomena=gone)
    assert sure.severity == alone.severity == 2 * doubtful.severity
    assert found_in(source, ["my podepsali"], ["lease"]) == []  # unless it is asked for


def lost(source: str, output: str, term: str, *links: tuple[str, str]) -> list[float]:
    """How severely the term is lost, given these links between words that occur once."""
    document = Document("d", (source,))
    version = Version(document, "s", output_side("s"), (output,))
    (mine,) = align_versions(
        [version], Linked(*links), WordReader("en").read, WordReader("cs").read
    )
    # No word is established, as in a text where the links of a term differ from place to place.
    lexicon = Lexicon(markables_in(document, [Term((term,))]), [mine], replace(SETTINGS, share=1.1))
    return [
        f.severity for f in findings(TranslationView(mine, lexicon), [Phenomenon.DISAPPEARANCE])
    ]


FULL = SEVERITY[Phenomenon.DISAPPEARANCE]


def test_a_word_that_another_word_needs_does_not_render_a_markable() -> None:
    source = "we rent the furnished apartment"
    shared = ("furnished", "byt"), ("apartment", "byt")
    assert lost(source, "my ten byt", "furnished", *shared) == [FULL / 2]
    assert lost(source, "my ten byt", "furnished", ("apartment", "byt")) == [FULL]
    assert lost(source, "my ten byt", "furnished", ("furnished", "byt")) == []
    both = ("furnished", "zařízený"), ("apartment", "zařízený"), ("apartment", "byt")
    assert lost(source, "my ten zařízený byt", "furnished", *both) == []


def test_a_free_word_beside_is_enough_for_both_but_not_one_far_away() -> None:
    source = "we rent the furnished apartment"
    shared = ("furnished", "byt"), ("apartment", "byt")
    assert lost(source, "my ten zařízený byt", "furnished", *shared) == []
    assert lost(source, "byt a to v tom zařízený", "furnished", *shared) == [FULL / 2]


def test_a_copy_of_another_word_does_not_render_a_markable() -> None:
    source = "the husband Bureš signed"
    assert lost(source, "ten Bureš podepsal", "husband", ("husband", "Bureš")) == [FULL / 2]
    assert lost(source, "ten manžel podepsal", "husband", ("husband", "manžel")) == []


def test_non_translated_words_but_not_names_and_numerals() -> None:
    source = ["new sublease by Karel Novák part III"]
    output = ["nový sublease od Karel Novák část III"]
    found = found_in(source, output, ["sublease", "Karel Novák", "III"])
    assert kinds(found) == [("non-translated", 0)]


def test_what_the_reference_copies_too_is_right() -> None:
    source, output = ["the EU budget"], ["ten EU rozpočet"]
    (doubtful,) = found_in(source, output, ["EU"])
    assert found_in(source, output, ["EU"], output) == []
    (certain,) = found_in(source, output, ["EU"], ["ten unijní rozpočet"])
    assert certain.severity == 2 * doubtful.severity


def test_over_translated_names_and_lost_numbers() -> None:
    source = ["signed by Karolína Černá here", "room 12 is free"]
    output = ["podepsala to Caroline Black zde", "pokoj dvanáct je volný"]
    found = found_in(source, output, ["Karolína Černá", "room 12"])
    assert kinds(found) == [("over-translated", 0), ("over-translated", 1)]
    assert "Černá" in found[0].note
    inflected = ["podepsala to Karolínou Černou zde", "pokoj 12 je volný"]
    assert found_in(source, inflected, ["Karolína Černá", "room 12"]) == []


@pytest.mark.parametrize(
    ("source", "output", "note"),
    [
        ("by this Supplement we agree", "tímto naším dodatkem my souhlasíme", "without a capital"),
        ("by this supplement we agree", "tímto naším Dodatkem my souhlasíme", "with a capital"),
        ('called the "supplement" here', "zvaný ten náš dodatek zde", "no quotation marks"),
    ],
)
def test_typography(source: str, output: str, note: str) -> None:
    reference = output.swapcase()
    (found,) = found_in([source], [output], ["supplement"], [reference], [Phenomenon.TYPOGRAPHY])
    assert found.phenomenon is Phenomenon.TYPOGRAPHY
    assert note in found.note


def test_capitals_are_as_the_language_has_them() -> None:
    source, output = ["it rains on monday here"], ["dort regnet es Montag hier"]
    term, typography = ["monday"], [Phenomenon.TYPOGRAPHY]
    assert found_in(source, output, term, phenomena=typography) == []
    right, otherwise = ["hier regnet am Montag es"], ["hier regnet am montag es"]
    assert found_in(source, output, term, right, phenomena=typography) == []
    (found,) = found_in(source, output, term, otherwise, phenomena=typography)
    assert found.note == "Montag with a capital"
    both = [*output, "dort regnet es montag hier"]
    (found,) = found_in([*source, *source], both, term, phenomena=typography)
    assert found.note == "Montag with a capital"


def test_a_number_is_written_as_in_the_reference() -> None:
    source, wanted = ["pay 2,500 crowns"], ["plať 2 500 korun"]
    found = found_in(source, ["plať 2,500 korun"], ["2,500"], wanted)
    assert [f.phenomenon for f in found] == [Phenomenon.TYPOGRAPHY]
    assert found_in(source, wanted, ["2,500"], wanted) == []


def test_absent_segments_have_no_findings() -> None:
    assert found_in(["the lease ends", "a lease"], ["ta smlouva končí", ""], ["lease"]) == []


def test_every_check_has_a_severity_and_runs_on_nothing() -> None:
    found = found_in(["nothing here"], ["nic zde"], [])
    assert found == []
    assert all(phenomenon in Phenomenon for phenomenon in CHECKS)


def test_forms() -> None:
    assert is_name(["Karolína", "Černá"])
    assert not is_name(["Karolína"])
    assert is_roman(["XIV"])
    assert is_acronym(["OP", "CBC"])
    assert not is_acronym(["III"])
    assert [
        tuple(text[start:end] for start, end in numbers_in(text))
        for text in ["za 1 250,50 Kč, str. 17."]
    ] == [("1 250,50", "17")]


def test_stems_are_alike_by_their_beginning() -> None:
    assert alike("sub-leas", "subleas", 0.65)
    assert alike("klimatick", "klimat", 0.65)
    assert not alike("nájm", "náj", 0.65)
    assert not alike("appendix", "supplement", 0.65)


def translations(names: Sequence[str]) -> list[Translation]:
    document = Document(
        "d",
        ("the lease of the house", "this lease ends", "a Lease again"),
        {"r": ("ta smlouva o ten dům", "ta smlouva končí", "jedna smlouva zas")},
    )
    texts = {
        "a": ("ta smlouva o ten dům", "tento kontrakt končí", "jedna smlouva zas"),
        "b": ("ta nájem o ten dům", "tento nájem končí", "jedna nájem zas"),
    }
    testset = TestSet("t", "en", "cs", (document,))
    assert testset.documents
    outputs = [SystemOutput(name, {"d": texts[name]}) for name in names]
    return [
        Translation(document, output.name, output.documents["d"], "en", "cs") for output in outputs
    ]


def examined(names: Sequence[str], company: str) -> dict[str, list[tuple[str, int]]]:
    examiner = Examiner(
        InOrder(),
        WordReader("en"),
        WordReader("cs"),
        count=5,
        company=company,  # type: ignore[arg-type]
    )
    views = list(examiner.views(translations(names)))
    return {view.aligned.system: kinds(findings(view)) for view in views}


def test_a_system_is_judged_without_its_competitors() -> None:
    both = examined(["a", "b"], "own")
    assert both["a"] == examined(["a"], "own")["a"]
    assert ("inconsistency", 1) in both["a"]
    assert set(examined(["a", "b"], "all")) == {"a", "b"}


def test_own_terms_are_markables_first() -> None:
    document = translations(["a"])[0].document
    examiner = Examiner(
        InOrder(), WordReader("en"), WordReader("cs"), count=3, terms=(Term(("house",)),)
    )
    heads = [markable.head for markable in examiner.markables(document, [])]
    assert heads[0] == "house"
    assert heads.count("house") == 1
    assert len(heads) > 1
    alone = Examiner(
        InOrder(), WordReader("en"), WordReader("cs"), count=0, terms=(Term(("house",)),)
    )
    assert [m.head for m in alone.markables(document, [])] == ["house"]
