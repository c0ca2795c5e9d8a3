"""English verbs that carry discourse: what tense a clause has, and where its verb is left out.

BlonDe (Jiang et al. 2022) counts the Penn tags of all verbs; here finite verbs alone are counted,
since infinitives and participles have no tense, and a perfect is told from a present. Its ellipses
are marked by people, and MuDA (Fernandes et al. 2023) is told by a file which source sentences have
one. Here a verb phrase that was left out is told by the auxiliary that it left behind at the end of
its sentence: *Yes, we do.* Both need tags that tell tenses, and of the taggers that come along only
the English one has them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from isogloss.language import HantaTagger, Token, Tokeniser, primary, tagger, tokeniser
from isogloss.metrics.discourse.classes import Marked

PHENOMENA = ("tense", "ellipsis")
_RULES = "1"  # changes with what is found

_PAST, _PRESENT = frozenset("D"), frozenset("BZ")  # how the tags VVD, VBZ ... end
_MODAL, _NOT = "VM0", "XX0"
_FUTURE = frozenset({"will", "shall", "'ll", "wo", "sha"})
_BETWEEN = ("AV0", _NOT, "PNP")  # what may stand between has and gone
_ENDS = frozenset(".?!;")
_SUBJECT = ("NN", "NP0", "PNP", "PNI", "PNX", "EX0", "DT0", "CRD", "ORD", "POS")
_QUESTION_WORDS = ("AVQ", "DTQ", "PNQ")
_OBJECTS = frozenset({"all", "everything", "anything", "something", "nothing", "way", "much"})
_ALSO = frozenset({"too", "either", "also"})
_AUXILIARIES = {"VB": "be", "VD": "do", "VH": "have", "VM": "modal"}
_HAVE = frozenset({"have", "has", "had", "'ve", "'s", "'d"})
_LEFT_BEHIND = ("do", "have", "modal")  # what ends in be is seldom an ellipsis: as it is


class TaggedWord(NamedTuple):
    """A word in lower case with its tag of the CLAWS C5 set, and where it stands."""

    text: str
    tag: str
    start: int
    end: int

    @property
    def is_finite(self) -> bool:
        """Whether it has a tense, or is a modal."""
        return self.tag == _MODAL or (self.tag[0] == "V" and self.tag[-1] in _PAST | _PRESENT)

    @property
    def auxiliary(self) -> str | None:
        return _AUXILIARIES.get(self.tag[:2]) if self.is_finite else None


@dataclass(frozen=True)
class VerbReader:
    """Finds the tenses or the ellipses of English texts."""

    tokens: Tokeniser
    tags: HantaTagger
    phenomenon: str

    @property
    def signature_fields(self) -> tuple[tuple[str, str], ...]:
        """The tools, and the version of the rules."""
        return (("words", self.tokens.name), ("tags", self.tags.name), ("rules", _RULES))

    def read(self, text: str) -> list[Marked]:
        """The verbs in the order of the text."""
        words = self._tagged(self.tokens.tokenise(text))
        found = _tenses(words) if self.phenomenon == "tense" else _stranded(words)
        return [Marked(self.phenomenon, name, word.start, word.end) for word, name in found]

    def _tagged(self, tokens: Sequence[Token]) -> list[TaggedWord]:
        straight = [token._replace(text=token.text.replace("’", "'")) for token in tokens]
        pairs = zip(straight, self.tags.treebank_tags(straight), strict=True)
        return [TaggedWord(t.text.lower(), tag, t.start, t.end) for t, tag in pairs]


@lru_cache(maxsize=4)
def verb_reader(language: str, phenomenon: str) -> VerbReader | None:
    """What finds the phenomenon; `None` for languages whose tagger tells no tenses."""
    tags = tagger(language) if primary(language) == "en" else None
    if not isinstance(tags, HantaTagger):
        return None
    return VerbReader(tokeniser(language), tags, phenomenon)


def _tenses(words: Sequence[TaggedWord]) -> Iterator[tuple[TaggedWord, str]]:
    for place, word in enumerate(words):
        if word.is_finite:
            yield word, _tense(words, place)


def _tense(words: Sequence[TaggedWord], place: int) -> str:
    word = words[place]
    if word.tag == _MODAL:
        return "future" if word.text in _FUTURE else "modal"
    tense = "past" if word.tag[-1] in _PAST else "present"
    if word.text not in _HAVE or word.auxiliary != "have":
        return tense
    rest = [w.tag for w in words[place + 1 : place + 5]]
    skipped = len(list(takewhile(lambda tag: tag in _BETWEEN, rest)))
    verb = rest[skipped] if skipped < len(rest) else ""
    perfect = verb[:1] == "V" and verb[-1] == "N"
    return f"{tense} perfect" if perfect else tense


def _stranded(words: Sequence[TaggedWord]) -> Iterator[tuple[TaggedWord, str]]:
    for place, word in enumerate(words):
        kind = word.auxiliary
        if kind in _LEFT_BEHIND and (_is_tag(words, place) or _is_stranded(words, place)):
            yield word, kind


def _is_tag(words: Sequence[TaggedWord], place: int) -> bool:
    """Whether it is that of a question tag: *, didn't he?*."""
    after = [w for w in words[place + 1 : place + 4] if w.tag != _NOT]
    comma = place > 0 and words[place - 1].text == ","
    return comma and [after[0].tag, after[1].text] == ["PNP", "?"] if len(after) > 1 else False


def _is_stranded(words: Sequence[TaggedWord], place: int) -> bool:
    """Whether nothing follows it in its sentence, and nothing that stands before is its object."""
    if not _ends_sentence(words[place + 1 :]):
        return False
    clause = _clause_before(words, place)
    if not clause or not clause[0].tag.startswith(_SUBJECT):
        return False
    if words[place].auxiliary == "modal":
        return True
    moved = any(w.tag in _QUESTION_WORDS or w.text in _OBJECTS for w in clause)
    relative = len(clause) > 1 and clause[0].tag == "PNP" and clause[1].tag.startswith("NN")
    return not moved and not relative


def _ends_sentence(words: Sequence[TaggedWord]) -> bool:
    """Whether these are no more than *not*, *too* and the end of a sentence."""
    rest = [word.text for word in words[:5] if word.tag != _NOT]
    if rest[:1] == [","] and rest[1:2] and rest[1] in _ALSO:
        rest = rest[1:]
    if rest and rest[0] in _ALSO:
        rest = rest[1:]
    return not rest or rest[0] in _ENDS


def _clause_before(words: Sequence[TaggedWord], place: int) -> list[TaggedWord]:
    """The words before it up to a mark, the nearest first, without adverbs."""
    before = takewhile(lambda word: word.tag not in ("PUN", "PUQ"), reversed(words[:place]))
    return [word for word in before if word.tag not in ("AV0", _NOT)]
