"""The regions of a word in which Snowball's algorithms look for suffixes."""

from collections.abc import Callable, Iterator


def after_vowel_and_consonant(word: str, vowels: str, start: int = 0) -> int:
    """Where the part begins that follows the first consonant after a vowel."""
    at = start
    while at < len(word) and word[at] not in vowels:
        at += 1
    while at < len(word) and word[at] in vowels:
        at += 1
    return min(at + 1, len(word))


def with_capitals(word: str, consonant: Callable[[str, int], int | None]) -> str:
    """The word with a capital for every vowel sign that is a consonant there.

    `consonant` tells which letter that is, if any, given the word so far and a place in it.
    """
    at = 0
    while at < len(word):
        found = consonant(word, at)
        if found is None:
            at += 1
        else:
            word = word[:found] + word[found].upper() + word[found + 1 :]
    return word


class Suffixes:
    """Suffixes of which a word may have one: the longest counts."""

    def __init__(self, *suffixes: str) -> None:
        self.known = frozenset(" ".join(suffixes).split())
        self.lengths = sorted({len(suffix) for suffix in self.known}, reverse=True)

    def of(self, word: str) -> str:
        """The longest of the suffixes that the word has, or nothing."""
        for length in self.lengths:
            if word[-length:] in self.known:
                return word[-length:]
        return ""

    def __contains__(self, suffix: object) -> bool:
        return suffix in self.known

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)
