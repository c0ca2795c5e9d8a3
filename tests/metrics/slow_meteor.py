"""METEOR's search as its paper and program have it, one path after another: slow and plain."""

from dataclasses import dataclass, replace

Match = tuple[int, int, int, int, int]
"""Matcher, first word and length in the reference, first word and length in the output."""
BEAM = 40


@dataclass(frozen=True)
class Path:
    """A partial alignment."""

    matched: int = 0
    chunks: int = 0
    distance: int = 0
    last: int = -1  # the word of the output after the last match, or -1
    reach: int = 0  # the first word of the reference that is not decided about
    used: frozenset[int] = frozenset()
    matches: tuple[Match, ...] = ()

    @property
    def rank(self) -> tuple[int, int, int]:
        return -self.matched, self.chunks, self.distance

    def with_match(self, match: Match, distance: int) -> "Path":
        """The path after taking a match."""
        matcher, first, length, output, output_length = match
        gained = 2 if matcher == 0 else length // 2 + output_length // 2
        return Path(
            self.matched + gained,
            self.chunks + (self.last not in (-1, output)),
            distance,
            output + output_length,
            first + length,
            self.used | set(range(output, output + output_length)),
            (*self.matches, match),
        )


def settled(matches: list[Match], words: int, output_words: int) -> dict[int, Match]:
    """Matches of which no word, on either side, is in another match, by their first word."""
    reference, output = [0] * words, [0] * output_words
    for _, first, length, begin, output_length in matches:
        for word in range(first, first + length):
            reference[word] += 1
        for word in range(begin, begin + output_length):
            output[word] += 1
    return {
        first: (matcher, first, length, begin, output_length)
        for matcher, first, length, begin, output_length in matches
        if all(reference[word] == 1 for word in range(first, first + length))
        and all(output[word] == 1 for word in range(begin, begin + output_length))
    }


def align(matches: list[Match], words: int, output_words: int) -> tuple[Match, ...]:
    """The alignment that METEOR finds; `matches` are in the order in which it lists them."""
    fixed = settled(matches, words, output_words)
    taken = {w for m in fixed.values() for w in range(m[3], m[3] + m[4])}
    paths = [Path(used=frozenset(taken))]
    for word in range(words):
        paths.sort(key=lambda path: path.rank)
        options = [match for match in matches if match[1] == word]
        paths = [new for path in paths[:BEAM] for new in _continued(path, word, options, fixed)]
    paths.sort(key=lambda path: path.rank)
    closed = [replace(p, chunks=p.chunks + (p.last != -1)) for p in paths[:BEAM]]
    return min(closed, key=lambda path: path.rank).matches


def _continued(path: Path, word: int, options: list[Match], fixed: dict[int, Match]) -> list[Path]:
    if path.reach > word:
        return [path]
    if word in fixed:
        match = fixed[word]
        return [path.with_match(match, path.distance + abs(match[1] - match[3]))]
    found, distance = [], path.distance
    for match in options:
        if not path.used & set(range(match[3], match[3] + match[4])):
            found.append(path.with_match(match, distance))
            distance += abs(match[1] - match[3])
    chunks = path.chunks + (path.last != -1)
    skipped = replace(path, chunks=chunks, distance=distance, last=-1, reach=word + 1)
    return [*found, skipped]
