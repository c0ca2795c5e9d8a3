"""Hypothesis strategies for the nouns: ``from strategies import collections``."""

from hypothesis import strategies as st

from isogloss.documents import Collection, Document, Segments, SystemOutput, TestSet

# What readers and writers trip over, so that random texts meet it often enough.
AWKWARD = (
    "",
    " ",
    "\u2028",
    "a\u0085b",
    "\r",
    "a\r",
    "\ufeffa",
    '"quoted"',
    "'",
    "<seg id='1'>&amp;</seg>",
    "a\\tb\\n",
    "😀👩‍👩‍👧",
    "שלום עולם",
    "\u202eمرحبا\u202c",
    "e\u0301",
    "null",
    "{}",
    "1",
)


def texts(*, exclude: str = "", controls: bool = True) -> st.SearchStrategy[str]:
    """Texts of any characters that UTF-8 can hold, but for those to exclude."""
    categories = ("Cs",) if controls else ("Cs", "Cc")
    alphabet = st.characters(exclude_categories=categories, exclude_characters=exclude)
    barred = set(exclude)
    awkward = [text for text in AWKWARD if not barred & set(text)]
    return st.sampled_from(awkward) | st.text(alphabet, max_size=12)


@st.composite
def collections(
    draw: st.DrawFn,
    *,
    text: st.SearchStrategy[str] | None = None,
    name: st.SearchStrategy[str] | None = None,
    absent: bool = True,
    whole_documents: bool = False,
) -> Collection:
    """Collections with several documents, references, systems, domains and absent segments.

    `text` makes segments and `name` ids, domains and names (never empty ones). With
    `whole_documents` a reference or system has either all or none of a document's segments.
    """
    segment = texts() if text is None else text
    label = (texts(controls=False) if name is None else name).filter(bool)
    languages = st.sampled_from(["en", "de", "zh", "zh-Hant", None])

    def versions(length: int) -> st.SearchStrategy[Segments]:
        full = st.tuples(*[segment] * length)
        if not absent:
            return full
        if whole_documents:
            return full | st.just((None,) * length)
        return full | st.tuples(*[segment | st.none()] * length)

    references = draw(st.lists(label, max_size=3, unique=True))
    documents = []
    for id in draw(st.lists(label, min_size=1, max_size=4, unique=True)):
        source = draw(st.lists(segment, min_size=1, max_size=4))
        made = {reference: draw(versions(len(source))) for reference in references}
        documents.append(Document(id, tuple(source), made, draw(label | st.none())))
    outputs = [
        SystemOutput(system, {d.id: draw(versions(len(d))) for d in documents})
        for system in draw(st.lists(label, max_size=3, unique=True))
    ]
    testset = TestSet(draw(label), draw(languages), draw(languages), tuple(documents))
    return Collection(testset, tuple(outputs))
