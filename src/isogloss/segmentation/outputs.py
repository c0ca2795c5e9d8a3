"""A text that was handed in, in pieces, and where it may be cut.

A new segment best begins where a sentence does. It may begin after another full stop, after a
comma, or between any two words, at a cost: headlines, titles and chat have no full stops. Marks
that close something hardly ever begin a segment.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from isogloss.arrays import Floats, Integers, Mask
from isogloss.errors import MissingExtraError
from isogloss.language import CHARACTERS_FOR_WORDS, CHINESE, is_unspaced, primary, tokeniser
from isogloss.segmentation.readers import PieceReader
from isogloss.segmentation.sentences import sentence_places
from isogloss.segmentation.sources import Directions, directions, silent_pieces, widened
from isogloss.wholes import Place, WholeText

_ENDS = frozenset(".!?。！？…؟।॥‽;:：；")
_CLOSES = frozenset("\"”’»)]）」』】'›“")
_PAUSES = frozenset(',;:!?.…—–)]»”"。，；：！？、）」』】')
_NEVER_FIRST = frozenset(".,;:!?)]”’»。，；：！？、）」』】…")
# With many Latin names and numbers in it, their text may look as if it had spaces.
_WITHOUT_SPACES = CHARACTERS_FOR_WORDS | CHINESE | {"ja"}


@dataclass(frozen=True, slots=True)
class _CutCosts:
    """What it costs, in nats, to begin a segment elsewhere than where a sentence begins."""

    after_end: float = 1.0
    after_pause: float = 2.0
    between_words: float = 6.0
    unmarked: float = 0.5  # the share of it where the source has no full stop there either
    marked: float = 2.0  # a full stop that the source does not have there
    lower_case: float = 4.0  # before lower case that the source does not have there
    closing: float = 3.0
    within: float = 0.4  # the share of it between sentences of one segment
    part: float = 1.0  # what a part's beginning is worth


_COSTS = _CutCosts()
_IMPOSSIBLE = 1e6


def ends_marked(text: str) -> bool:
    """Whether a text ends as sentences do, whatever closes behind it."""
    stripped = text.rstrip()
    while stripped and stripped[-1] in _CLOSES:
        stripped = stripped[:-1].rstrip()
    return bool(stripped) and stripped[-1] in _ENDS


@dataclass(frozen=True, eq=False)
class OutputPieces:
    """The pieces of a text: their places and directions, and what the gaps between them are.

    Arrays of gaps have one entry more than there are pieces: gap `k` lies before piece `k`.
    """

    places: tuple[Place, ...]
    directions: Directions
    silent: Mask  # pieces without a letter or digit, which tell nothing
    starts: Mask  # gaps where a sentence begins; the first and the last gap count, too
    costs: Floats  # of a cut in each gap: behind a marked end (0), behind an unmarked one (1)
    lower: Mask  # gaps before lower case
    again: Mask  # pieces of sentences that stand earlier in the text, word for word

    def __len__(self) -> int:
        return len(self.places)

    def part(self, start: int, end: int) -> "OutputPieces":
        """The pieces from one gap to another; where the part ends, a sentence does."""
        pieces, gaps = slice(start, end), slice(start, end + 1)
        starts, costs = self.starts[gaps].copy(), self.costs[:, gaps].copy()
        starts[[0, -1]], costs[:, [0, -1]] = True, 0.0
        return OutputPieces(
            self.places[pieces],
            widened(self.directions[pieces]),
            self.silent[pieces],
            starts,
            costs,
            self.lower[gaps],
            self.again[pieces],
        )

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The gaps around the pieces that lie between two places of the text."""
        first, last = np.searchsorted(self._begins, [start, end])
        return int(first), int(last)

    def sentence_edges(self, start: int, end: int) -> list[int]:
        """The gaps from one to another where sentences begin, both of them included."""
        inside = start + 1 + np.flatnonzero(self.starts[start + 1 : end])
        return sorted({start, *map(int, inside), end})

    @cached_property
    def _begins(self) -> Integers:
        return np.array([begin for begin, _ in self.places], dtype=np.int64)


def output_pieces(whole: WholeText, reader: PieceReader, language: str | None) -> OutputPieces:
    """The pieces of a whole text, read sentence by sentence."""
    text = whole.visible
    sentences = list(_sentences(whole, text, language))
    read = reader.read([text[start:end] for start, end in sentences], language)
    places: list[Place] = []
    first_pieces: list[int] = []
    for (start, _), pieces in zip(sentences, read, strict=True):
        first_pieces.append(len(places))
        places += ((start + begin, start + end) for begin, end in pieces.places)
    vectors = [pieces.vectors for pieces in read if len(pieces)]
    return OutputPieces(
        tuple(places),
        directions(vectors),
        silent_pieces(text, places),
        *_gaps(whole, text, places, first_pieces, language),
        np.repeat(_said_before(text, sentences), [len(pieces) for pieces in read]),
    )


def _sentences(whole: WholeText, text: str, language: str | None) -> Iterator[Place]:
    for start, end in whole.parts:
        for begin, stop in sentence_places(text[start:end], language):
            yield start + begin, start + stop


def _said_before(text: str, sentences: Sequence[Place]) -> Mask:
    """Which sentences stand earlier in the text, word for word."""
    said: set[str] = set()
    before = np.zeros(len(sentences), dtype=bool)
    for number, (start, end) in enumerate(sentences):
        words = text[start:end].strip()
        before[number] = words in said
        said.add(words)
    return before


def _gaps(
    whole: WholeText,
    text: str,
    places: list[Place],
    first_pieces: list[int],
    language: str | None,
) -> tuple[Mask, Floats, Mask]:
    """Where sentences begin, what cuts cost, and where lower case follows."""
    count = len(places)
    starts = np.zeros(count + 1, dtype=bool)
    starts[[0, count]] = True
    starts[first_pieces] = True
    costs = np.full((2, count + 1), _IMPOSSIBLE)
    costs[:, [0, count]] = 0.0
    lower = np.zeros(count + 1, dtype=bool)
    words = _word_starts(text, language)
    quotes = _opening_quotes(text)
    for gap in range(1, count):
        before, here = places[gap - 1], places[gap][0]
        begins_word = words is not None and here in words and before[1] == here
        if starts[gap] or before[1] < here or begins_word:
            costs[:, gap] = _costs(text, before, here, bool(starts[gap]), here in quotes)
        lower[gap] = text[here].islower()
    costs[:, _part_starts(whole, places)] -= _COSTS.part
    return starts, costs, lower


def _costs(
    text: str, before: Place, here: int, sentence: bool, opens_quote: bool
) -> tuple[float, float]:
    """What a cut costs behind a marked end of the source, and behind an unmarked one."""
    ended = ends_marked(text[max(0, before[1] - 4) : before[1]])
    if sentence:
        marked = unmarked = 0.0
    elif ended:
        marked = unmarked = _COSTS.after_end
    elif text[before[1] - 1] in _PAUSES:
        marked, unmarked = _COSTS.after_pause, 0.7 * _COSTS.after_pause
    else:
        marked, unmarked = _COSTS.between_words, _COSTS.unmarked * _COSTS.between_words
    if ended:
        unmarked += _COSTS.marked
    closes = text[here] in _NEVER_FIRST or (
        text[here] == '"' and (not opens_quote or before[1] == here)
    )
    penalty = _COSTS.closing if closes else 0.0
    return marked + penalty, unmarked + penalty


def _opening_quotes(text: str) -> frozenset[int]:
    """Straight quotation marks that open: every other one."""
    marks = [place for place, letter in enumerate(text) if letter == '"']
    return frozenset(marks[::2])


def _word_starts(text: str, language: str | None) -> frozenset[int] | None:
    """Where words begin in a script without spaces; `None` where spaces tell."""
    if primary(language) not in _WITHOUT_SPACES and not is_unspaced(text):
        return None
    try:
        tokens = tokeniser(language).tokenise(text)
    except MissingExtraError:  # Unicode's own rules are better than none
        tokens = tokeniser(None).tokenise(text)
    return frozenset(token.start for token in tokens)


def _part_starts(whole: WholeText, places: list[Place]) -> list[int]:
    begins = np.array([start for start, _ in places])
    found = np.searchsorted(begins, [start for start, _ in whole.parts])
    return sorted({int(gap) for gap in found if 0 < gap < len(places)})


def run_end_costs(output: OutputPieces, sentences: Sequence[str], segments: Integers) -> Floats:
    """What it costs to end the run of each sentence in each gap, given what follows it."""
    costs = np.zeros((len(sentences), len(output) + 1))
    for number, (sentence, following) in enumerate(pairwise(sentences)):
        costs[number] = output.costs[0 if ends_marked(sentence) else 1]
        if not following[:1].islower():
            costs[number] += _COSTS.lower_case * output.lower
        if segments[number] == segments[number + 1]:
            costs[number] *= _COSTS.within
    return costs
