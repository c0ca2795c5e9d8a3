"""Scripts that write no spaces between words: who writes so, and whether a text is written so."""

import re

CHARACTERS_FOR_WORDS = frozenset({"bo", "dz", "km", "lo", "mnw", "my", "nod", "shn", "th"})
"""Languages in such scripts for which sacrebleu has no tokeniser of its own."""

CHINESE = frozenset({"gan", "hsn", "lzh", "wuu", "yue", "zh"})
"""Languages written in Chinese characters, which sacrebleu's tokeniser for Chinese takes apart."""

# Thai, Lao, Tibetan, Burmese and its relatives, Khmer, Tai Le to Tai Tham, kana, ideographs.
_SOUTH_EAST = (
    r"\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaa7f"
)
_EAST = r"\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff65\U00020000-\U0003ffff"
_UNSPACED = re.compile(f"[{_SOUTH_EAST}{_EAST}]+")
_UNSPACED_SOUTH_EAST = re.compile(f"[{_SOUTH_EAST}]+")
_LONG_FOR_WORDS = 8  # characters: the mean of Thai words is 4 to 5, of Chinese ones below 2


def is_unspaced(text: str, *, ideographs: bool = True) -> bool:
    """Whether most of the text is in such a script, with no spaces put between its words.

    Without `ideographs`, Chinese and Japanese do not count.
    """
    if text.isascii():
        return False
    runs = (_UNSPACED if ideographs else _UNSPACED_SOUTH_EAST).findall(text)
    characters = sum(map(len, runs))
    visible = sum(map(len, text.split()))
    return 2 * characters > visible and characters > _LONG_FOR_WORDS * len(runs)
