"""The edits of TER (Snover et al. 2006), as sacrebleu counts them, only faster.

An edit inserts, deletes or replaces a word, or shifts a run of words to another place. Shifts are
searched for greedily, after Tercom: of all runs that stand elsewhere in the reference, the one
whose shift saves most edits is taken, until none saves any or a thousand were tried.

What takes the time is the edit distance of every candidate. sacrebleu's is limited to a band
around the diagonal, and can only be larger than the distance without that limit, which rapidfuzz
computes some thousand times faster. So candidates are ranked by the latter, and the banded
distance is computed of the first ones only, until none of the others can be better.
"""

from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Levenshtein

from isogloss.metrics.edit_states import Shift, State, Task, moved, unshifted

_LONGEST_SHIFT = 10
_FARTHEST_SHIFT = 50
_MOST_CANDIDATES = 1_000
_AT_ONCE = 64  # candidates that are compared together

Rank = tuple[int, int, int, int]
"""A distance and a shift, the best first: of equals the longest, then the earliest."""


def edits(output: Sequence[str], reference: Sequence[str]) -> int:
    """How many edits turn the words of an output into those of a reference."""
    if not reference or not output:
        return len(reference) + len(output)
    letters = _Letters()
    task = Task(letters.text(output), letters.text(reference))
    shifts, tried = 0, 0
    state = unshifted(task)
    while True:
        candidates, tried = _candidates(state, tried)
        if tried >= _MOST_CANDIDATES:
            break
        better = _best(state, candidates)
        if better is None:
            break
        state = better
        shifts += 1
    return shifts + state.distance


class _Letters:
    """A letter for each word, so that texts are strings, which C++ compares."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def text(self, words: Sequence[str]) -> str:
        known = self._known
        return "".join([known.setdefault(word, chr(len(known) + 1)) for word in words])


def _candidates(state: State, tried: int) -> tuple[set[Shift], int]:
    """The shifts that are tried, and how many were tried in all; some are tried several times."""
    found: set[Shift] = set()
    partners = state.alignment.partners
    for start, place, length in _runs(state):
        previous = -1
        for column in range(place - 1, place + length):
            target = partners[column] + 1 if column >= 0 else 0
            if target != previous:
                previous = target
                found.add((length, start, target))
                tried += 1
        if tried >= _MOST_CANDIDATES:
            break
    return found, tried


def _runs(state: State) -> Iterator[tuple[int, int, int]]:
    """Runs of words that stand elsewhere in the reference: start, place there and length.

    Both the run and the place where it should stand have to be wrong, and the run must not
    be aligned with itself.
    """
    text, reference, places = state.text, state.task.reference, state.task.places
    partners = state.alignment.partners
    wrong, wrong_there = state.alignment.output_errors, state.alignment.reference_errors
    for start, word in enumerate(text):
        right = wrong[start]
        if wrong[min(start + _LONGEST_SHIFT, len(text))] == right:
            continue
        for place in places.get(word, ()):
            partner = partners[place]
            if partner == start or not -_FARTHEST_SHIFT <= place - start <= _FARTHEST_SHIFT:
                continue
            most = min(_LONGEST_SHIFT, len(text) - start, len(reference) - place)
            if partner > start:
                most = min(most, partner - start)
            right_there, length = wrong_there[place], 1
            while True:
                if wrong[start + length] > right and wrong_there[place + length] > right_there:
                    yield start, place, length
                if length == most or text[start + length] != reference[place + length]:
                    break
                length += 1


def _best(state: State, candidates: set[Shift]) -> State | None:
    """What the shift makes that saves most: of equals the longest, the first, the nearest to the
    beginning; `None` where none saves anything."""
    ranked = sorted(_hopeful(state, candidates))
    if not ranked:
        return None
    hoped, shift = ranked[0][0], _shift(ranked[0])
    first = state.shifted(shift)
    if first.distance == hoped:  # nothing limits it, so that none of the others can be better
        return first
    best = _least(state, ranked)
    return None if best is None else first if best == shift else state.shifted(best)


def _hopeful(state: State, candidates: set[Shift]) -> Iterator[Rank]:
    """The candidates that would save something, were there no band."""
    reference, least = state.task.reference, state.distance
    for shift in candidates:
        distance = Levenshtein.distance(moved(state.text, shift), reference, score_cutoff=least)
        if distance < least:
            length, start, target = shift
            yield distance, -length, start, target


def _shift(rank: Rank) -> Shift:
    _, length, start, target = rank
    return -length, start, target


def _least(state: State, ranked: Sequence[Rank]) -> Shift | None:
    """The shift that saves most inside the band, if any does."""
    best: Rank | None = None
    for begin in range(0, len(ranked), _AT_ONCE):
        some = ranked[begin : begin + _AT_ONCE]
        if best is not None and best <= some[0]:
            break
        distances = state.distances_after([_shift(rank) for rank in some])
        true = [(distance, *rank[1:]) for distance, rank in zip(distances, some, strict=True)]
        best = min([*true, *([best] if best else [])])
    return _shift(best) if best and best[0] < state.distance else None
