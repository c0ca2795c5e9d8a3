"""The grammar of metric names: text to name and back, without loss."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import MetricNameError
from isogloss.signature import MetricName, Signature, split_names

words = st.from_regex(r"[A-Za-z][A-Za-z0-9_.+-]{0,8}", fullmatch=True)
plain_values = (
    st.text(max_size=12)
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
    | st.none()
)
names = st.recursive(
    st.builds(MetricName, words),
    lambda inner: st.builds(
        MetricName,
        words,
        st.dictionaries(
            words, plain_values | inner.filter(lambda name: bool(name.options)), max_size=3
        ),
    ),
    max_leaves=6,
)


@given(names)
def test_a_name_reads_back_as_itself(name: MetricName) -> None:
    read = MetricName.parse(str(name))
    assert read == name
    assert str(read) == str(name)
    # 1 == 1.0 == True in Python, but not in a metric's options.
    assert [type(v) for v in read.options.values()] == [type(v) for v in name.options.values()]


@given(names, st.lists(st.tuples(words, st.text("abc:, ", max_size=5)), max_size=3))
def test_a_signature_reads_back_as_itself(name: MetricName, fields: list[tuple[str, str]]) -> None:
    signature = Signature(name, tuple(fields))
    assert Signature.parse(str(signature)) == signature


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("bleu", "bleu", {}),
        ("chrf++", "chrf++", {}),
        ("bleu()", "bleu", {}),
        (" bleu ( tokenize = 13a ) ", "bleu", {"tokenize": "13a"}),
        ("ter(case_sensitive=true)", "ter", {"case_sensitive": True}),
        ("x(a=1,b=-2.5,c=none,d=1e-3)", "x", {"a": 1, "b": -2.5, "c": None, "d": 0.001}),
        ('x(a="two words, \\"quoted\\" | and ()")', "x", {"a": 'two words, "quoted" | and ()'}),
        ("prism-src(context=2)", "prism-src", {"context": 2}),
        (
            "hybrid(a=cohesion(stem=true),b=bleu)",
            "hybrid",
            {"a": MetricName("cohesion", {"stem": True}), "b": "bleu"},
        ),
    ],
)
def test_parsing(text: str, name: str, options: dict[str, object]) -> None:
    parsed = MetricName.parse(text)
    assert (parsed.name, dict(parsed.options)) == (name, options)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it ends where a metric's name should be"),
        ("13a", "'13a' is no name"),
        ("bleu(", "it ends where an option should be"),
        ("bleu(tokenize)", "'=' is missing after 'tokenize'"),
        ("bleu(tokenize=)", "the value of 'tokenize' is missing"),
        ("bleu(a=1 b=2)", "separated by commas"),
        ("bleu(a=1,a=2)", "'a' is given twice"),
        ("bleu chrf", "unexpected 'chrf' after the name"),
        ("bleu(a=%)", "unexpected '%' at character 8"),
        ('bleu(a="open)', "unexpected"),
    ],
)
def test_what_does_not_parse_says_why(text: str, complaint: str) -> None:
    with pytest.raises(MetricNameError) as raised:
        MetricName.parse(text)
    assert complaint in str(raised.value)
    assert repr(text) in str(raised.value)


def test_a_signature_field_needs_a_colon() -> None:
    with pytest.raises(MetricNameError, match="not key:value"):
        Signature.parse("bleu|nonsense")


def test_lists_are_split_outside_brackets_and_quotes() -> None:
    text = 'bleu, chrf(word_order=2,beta=3),x(a="1,2")'
    assert split_names(text) == ["bleu", "chrf(word_order=2,beta=3)", 'x(a="1,2")']


@pytest.mark.parametrize("text", ["", "|a:b"])
def test_a_signature_names_a_metric(text: str) -> None:
    with pytest.raises(MetricNameError, match="names no metric"):
        Signature.parse(text)


def test_a_brief_signature_tells_two_whole_ones_apart() -> None:
    one, other = (Signature.parse(f"prism|model:m|digest:sha256:{d}") for d in ("ab", "cd"))
    assert one.brief.split()[:2] == other.brief.split()[:2] == ["prism", "m"]
    assert one.brief != other.brief
    assert len(one.brief.split()[2]) == 8
    assert len(Signature.parse("bleu|tok:13a").brief.split()) == 2
