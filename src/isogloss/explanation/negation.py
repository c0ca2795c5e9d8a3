"""Words that negate: whether a text says that something is not so.

Languages that negate by prefixes or endings (Czech, Japanese, Turkish) have no list here, and
nothing is said of their negations.
"""

from collections.abc import Iterable

from isogloss.language import folded, primary

_WORDS = {
    "da": "ikke aldrig ingen intet uden",
    "de": "nicht nichts kein keine keinen keinem keiner keines nie niemals niemand niemanden "
    "niemandem weder ohne nirgends nirgendwo keinesfalls keineswegs",
    "en": "not n't no never none nobody nothing neither nor nowhere cannot without",
    "es": "no nunca jamás nada nadie ningún ninguno ninguna sin tampoco",
    "fr": "ne n' pas jamais rien aucun aucune sans",
    "it": "non mai niente nulla nessun nessuno nessuna senza",
    "nb": "ikke aldri ingen intet ingenting uten",
    "nl": "niet geen nooit niemand niets nergens zonder",
    "pl": "nie nigdy nic nikt nikogo żaden żadna żadne żadnego żadnej bez",
    "pt": "não nunca jamais nada ninguém nenhum nenhuma sem",
    "ru": "не нет ни никогда ничего никто никого нельзя без",
    "sv": "inte ej aldrig ingen inget inga ingenting utan",
    "uk": "не ні нема немає ніколи нічого ніхто нікого без",
    "zh": "不 没 沒 没有 沒有 无 無 未 不是 不会 不能 不要 不可 不想 不再 从不 從不 从未 從未",
}
_LISTS = {language: frozenset(words.split()) for language, words in _WORDS.items()}


def negations(language: str | None) -> frozenset[str] | None:
    """The negating words of a language; `None` where there is no list."""
    return _LISTS.get(primary(language) or "")


def is_negated(words: Iterable[str], negating: frozenset[str]) -> bool:
    """Whether one of the words negates."""
    return any(folded(word) in negating for word in words)
