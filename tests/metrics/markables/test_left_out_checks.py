"""Left-out figures: a document is judged with what is best on the others, not on itself."""

from isogloss.metaeval import MarkCounts
from isogloss.metrics.markables import Finding, Markable, Phenomenon
from isogloss.metrics.markables.lexicon import CheckSettings
from isogloss.metrics.markables.study.validation import Gold, Unit, left_out_counts
from isogloss.spans import SOURCE, Span


def unit(document: str, number: int) -> Unit:
    return document, "lease", number, "s"


def finding(document: str) -> Finding:
    span = Span(document, SOURCE, 0, 0, 5)
    markable = Markable(document, "lease", (span,))
    return Finding(Phenomenon.CONFLICT, markable, span, 1.0)


def test_a_document_has_no_say_in_its_own_settings() -> None:
    units = [unit(document, number) for document in "abc" for number in range(2)]
    marks = {unit(document, 0): {Phenomenon.CONFLICT: (1.0,)} for document in "abc"}
    gold = Gold(frozenset(units), marks, dict.fromkeys("abc", 1))
    right, wrong = CheckSettings(support=0.2), CheckSettings(support=0.4)
    # The first settings are right in b and c and find nothing in a; the second only in a.
    by_settings = {
        right: {unit(document, 0): [finding(document)] for document in "bc"},
        wrong: {
            unit("a", 0): [finding("a")],
            **{unit(document, 1): [finding(document)] for document in "bc"},
        },
    }
    judged = left_out_counts(gold, by_settings, Phenomenon.CONFLICT)
    assert judged["a"] == MarkCounts(0, 0, 1)
    assert judged["b"] == judged["c"] == MarkCounts(1, 0, 0)
