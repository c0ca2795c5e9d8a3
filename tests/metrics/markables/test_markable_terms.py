"""Terms find their places; markables keep them in order."""

import pytest

from isogloss.documents import Document
from isogloss.errors import InputError
from isogloss.metrics.markables import Markable, Term
from isogloss.metrics.markables.markable import markables_in
from isogloss.spans import SOURCE, Span


def test_a_term_matches_whole_words_in_any_case() -> None:
    term = Term(("lease", "leases"))
    assert term.find(["A sublease, the Lease.", "Leases and release"]) == [(0, 16, 21), (1, 0, 6)]


def test_forms_are_searched_one_after_the_other() -> None:
    term = Term(("b", "a"))
    assert term.find(["a b"]) == [(0, 2, 3), (0, 0, 1)]


def test_markables_are_in_the_order_of_the_text() -> None:
    document = Document("d", ("a b", "x"))
    (found,) = markables_in(document, [Term(("b", "a")), Term(("missing",))])
    assert [span.start for span in found.occurrences] == [0, 2]
    assert found.occurrences[0].text(document.source) == "a"


@pytest.mark.parametrize("forms", [(), ("",), ("(",)])
def test_a_term_needs_forms_that_can_be_searched(forms: tuple[str, ...]) -> None:
    with pytest.raises(InputError):
        Term(forms)


def test_a_markable_occurs_and_in_order() -> None:
    first, second = Span("d", SOURCE, 0, 0, 1), Span("d", SOURCE, 0, 2, 3)
    with pytest.raises(InputError, match="does not occur"):
        Markable("d", "a", ())
    with pytest.raises(InputError, match="out of order"):
        Markable("d", "a", (second, first))
