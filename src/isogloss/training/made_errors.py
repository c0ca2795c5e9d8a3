"""Made errors: texts broken by chance in known places, so that a model learns what an error is.

People's judgements say how much was wrong with an output and not where. Here the places are known:
a word replaced by what a language model would as soon have said there (`alternatives`), another
number, a negation put in or left out, words dropped, repeated, exchanged, or left untranslated.
All of it happens to pieces, in any language; the rules of negation know four, the lists of words
that turn a meaning round six.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Integers, Mask
from isogloss.training.vocabulary import NONE, SPACELESS, Vocabulary

_SPACE = "\u2581"
MAJOR, MINOR = 5.0, 1.0  # MQM points
_SHORT = 4  # letters; shorter words are articles and the like, mostly

# Words after which (or before which) a negation may be put, and words that turn with it.
_NEGATED = {
    "en": ("not", "after", "is are was were will can could should would must has have had did do"),
    "de": ("nicht", "after", "ist sind war waren wird werden kann können hat haben soll muss darf"),
    "ru": ("не", "before", "был была было были будет может могут является стал хочет должен имеет"),
    "zh": ("不", "before", "是 会 能 可以 应该 想 可能 需要 愿意 允许"),
}
# Words and what turns their meaning round.
_TURNED = {
    "en": (
        "always/never everyone/nobody everything/nothing more/less most/least before/after "
        "first/last high/low higher/lower highest/lowest large/small larger/smaller big/little "
        "long/short old/young older/younger new/old good/bad better/worse best/worst early/late "
        "easy/difficult strong/weak increase/decrease increased/decreased rise/fall rose/fell "
        "rising/falling up/down won/lost win/lose accept/reject accepted/rejected allow/forbid "
        "allowed/forbidden open/close opened/closed begin/end began/ended buy/sell bought/sold "
        "inside/outside above/below near/far many/few possible/impossible true/false right/wrong "
        "positive/negative public/private north/south east/west left/right day/night "
        "morning/evening man/woman men/women father/mother brother/sister son/daughter "
        "husband/wife king/queen he/she his/her friend/enemy peace/war life/death love/hate "
        "success/failure support/oppose with/without yes/no today/tomorrow add/remove "
        "include/exclude including/excluding arrive/leave send/receive remember/forget"
    ),
    "de": (
        "ein/kein eine/keine einen/keinen einem/keinem einer/keiner immer/nie alles/nichts "
        "mehr/weniger vor/nach mit/ohne hoch/niedrig höher/niedriger groß/klein große/kleine "
        "großen/kleinen größer/kleiner lang/kurz alt/jung alte/junge neu/alt neue/alte "
        "gut/schlecht gute/schlechte besser/schlechter früh/spät früher/später stark/schwach "
        "viele/wenige viel/wenig erste/letzte ersten/letzten offen/geschlossen möglich/unmöglich "
        "richtig/falsch positiv/negativ öffentlich/privat Norden/Süden Osten/Westen links/rechts "
        "Tag/Nacht Mann/Frau Männer/Frauen Vater/Mutter Bruder/Schwester Sohn/Tochter "
        "Freund/Feind Krieg/Frieden Leben/Tod Liebe/Hass Erfolg/Misserfolg er/sie sein/ihr "
        "oben/unten innen/außen über/unter gestern/morgen kaufen/verkaufen gewonnen/verloren "
        "Anfang/Ende Morgen/Abend gestiegen/gefallen erhöht/gesenkt ja/nein"
    ),
    "ru": (
        "всегда/никогда все/никто больше/меньше до/после с/без большой/маленький новый/старый "
        "новые/старые хорошо/плохо лучше/хуже высокий/низкий первый/последний много/мало "
        "раньше/позже день/ночь утром/вечером мужчина/женщина мужчины/женщины отец/мать "
        "брат/сестра сын/дочь друг/враг война/мир жизнь/смерть он/она его/её да/нет "
        "можно/нельзя над/под внутри/снаружи начало/конец купить/продать"
    ),
    "zh": (
        "有/没有 已经/尚未 大/小 多/少 高/低 新/旧 好/坏 前/后 上/下 左/右 男/女 增加/减少 "
        "上升/下降 提高/降低 开始/结束 成功/失败 支持/反对 父亲/母亲 儿子/女儿 他/她 朋友/敌人 "
        "战争/和平 白天/晚上 内/外 买/卖 最大/最小 允许/禁止 接受/拒绝"
    ),
    "fr": (
        "toujours/jamais tout/rien plus/moins avant/après avec/sans grand/petit grande/petite "
        "nouveau/ancien bon/mauvais premier/dernier première/dernière haut/bas long/court "
        "homme/femme hommes/femmes père/mère frère/sœur guerre/paix vie/mort jour/nuit oui/non "
        "il/elle sur/sous augmentation/diminution"
    ),
    "es": (
        "siempre/nunca todo/nada más/menos antes/después con/sin grande/pequeño nuevo/viejo "
        "bueno/malo mejor/peor primero/último primera/última alto/bajo largo/corto hombre/mujer "
        "hombres/mujeres padre/madre hermano/hermana guerra/paz vida/muerte día/noche sí/no "
        "aumento/disminución"
    ),
}


@dataclass(frozen=True, eq=False)
class PieceKinds:
    """What the pieces of a vocabulary are, for each id.

    `classes` tells words from ends of words, letters from the rest and long from short; only pieces
    of one class stand in for each other. `twins` is the same piece with its first letter in the
    other case.
    """

    begins: Mask
    letters: Mask
    sizes: Integers  # in letters
    digits: Mask
    twins: Integers
    unspaced: Integers
    negations: dict[int, tuple[int, bool, frozenset[int]]]  # by tag: what, after?, beside what
    turned: dict[int, dict[int, int]]

    @property
    def classes(self) -> Integers:
        return np.asarray(4 * (self.sizes >= _SHORT) + 2 * self.begins + self.letters)

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "PieceKinds":
        """The kinds of a vocabulary's pieces."""
        pieces = [vocabulary.pieces.id_to_piece(number) for number in range(vocabulary.size)]
        ids = {piece: number for number, piece in enumerate(pieces)}
        spelling = vocabulary.spelling()
        # Marks, tags and bytes look like words ("<s>", "<0x0A>"), and are none.
        text = np.arange(len(pieces)) > spelling.separator
        text &= [not vocabulary.pieces.is_byte(number) for number in range(len(pieces))]
        bare = [piece.removeprefix(_SPACE) for piece in pieces]
        return cls(
            np.array([piece.startswith(_SPACE) for piece in pieces]),
            np.array([any(map(str.isalpha, word)) for word in bare]) & text,
            np.array([len(word) for word in bare]),
            np.array([word.isdecimal() for word in bare]) & text,
            np.array([_twin(piece, ids) for piece in pieces]),
            spelling.unspaced,
            _negations(ids),
            _turned(ids),
        )


def _twin(piece: str, ids: dict[str, int]) -> int:
    space = _SPACE if piece.startswith(_SPACE) else ""
    word = piece.removeprefix(_SPACE)
    return ids.get(space + word[:1].swapcase() + word[1:], NONE)


def _known(words: str, language: str, ids: dict[str, int]) -> list[int]:
    """The pieces that words are, of those that are one piece."""
    space = "" if language in SPACELESS else _SPACE
    return [ids[space + word] for word in words.split() if space + word in ids]


def _negations(ids: dict[str, int]) -> dict[int, tuple[int, bool, frozenset[int]]]:
    found = {}
    for language, (word, side, beside) in _NEGATED.items():
        negation, tag = _known(word, language, ids), ids.get(f"<{language}>")
        if negation and tag is not None:
            found[tag] = (negation[0], side == "after", frozenset(_known(beside, language, ids)))
    return found


def _turned(ids: dict[str, int]) -> dict[int, dict[int, int]]:
    found: dict[int, dict[int, int]] = {}
    for language, pairs in _TURNED.items():
        table = found.setdefault(ids.get(f"<{language}>", NONE), {})
        for pair in pairs.split():
            known = _known(pair.replace("/", " "), language, ids)
            if len(known) == len(pair.split("/")):
                table |= {known[0]: known[1], known[1]: known[0]}
    return found


@dataclass(frozen=True, eq=False)
class Broken:
    """A broken text: what is `wrong` or added in it, what is `missing` of the text it was."""

    ids: Integers
    wrong: Mask
    missing: Mask
    points: float


@dataclass(eq=False)
class _Draft:
    """A text that is being broken; `origin` says which piece each one was, or `NONE`.

    `others` are alternatives, samples x pieces, and `foreign` what may be left untranslated.
    """

    ids: Integers
    others: Integers
    origin: Integers
    foreign: Integers
    points: float = 0.0

    def splice(self, begin: int, end: int, ids: Sequence[int], points: float) -> None:
        """Put new pieces in the place of some."""
        new = np.asarray(ids, dtype=np.int64)
        self.ids = np.concatenate([self.ids[:begin], new, self.ids[end:]])
        unknown = np.broadcast_to(new, (len(self.others), len(new)))
        self.others = np.concatenate([self.others[:, :begin], unknown, self.others[:, end:]], 1)
        fresh = np.full(len(new), NONE)
        self.origin = np.concatenate([self.origin[:begin], fresh, self.origin[end:]])
        self.points += points


_Edit = tuple[int, int, list[int]]  # new pieces from one place to another


@dataclass(frozen=True, eq=False)
class ErrorMaker:
    """Breaks texts of the language of a tag."""

    kinds: PieceKinds
    tag: int
    draw: np.random.Generator

    def broken(
        self, ids: Integers, others: Integers, foreign: Integers, errors: int
    ) -> Broken | None:
        """A text with so many errors at most; nothing where none could be made."""
        draft = _Draft(ids.astype(np.int64), others.astype(np.int64), np.arange(len(ids)), foreign)
        ways, chances = zip(*_WAYS, strict=True)
        for _ in range(errors):
            for way in self.draw.choice(len(ways), 4, p=np.array(chances) / sum(chances)):
                if ways[way](self, draft):
                    break
        if draft.points == 0 or not len(draft.ids) or np.array_equal(draft.ids, ids):
            return None
        missing = np.ones(len(ids), dtype=bool)
        missing[draft.origin[draft.origin >= 0]] = False
        return Broken(draft.ids, draft.origin < 0, missing, draft.points)

    def _one_of(self, places: Integers) -> int | None:
        return int(self.draw.choice(places)) if len(places) else None

    def _words(self, draft: _Draft) -> list[tuple[int, int]]:
        """Where words lie that are whole yet; where none are told apart, all pieces of letters."""
        letters = self.kinds.letters[draft.ids] & (draft.origin >= 0)
        begins = self.kinds.begins[draft.ids]
        if begins.sum() < len(begins) / 6:  # a script without spaces
            return [(place, place + 1) for place in np.flatnonzero(letters).tolist()]
        inside = np.append(letters & ~begins, False)
        found = []
        for begin in np.flatnonzero(letters & begins).tolist():
            end = begin + 1
            while inside[end]:
                end += 1
            found.append((begin, end))
        return found

    def _word(self, draft: _Draft) -> tuple[int, int] | None:
        """Some word; a long one sooner, since those have the meaning."""
        words = self._words(draft)
        if not words:
            return None
        sizes = np.array([self.kinds.sizes[draft.ids[a:b]].sum() for a, b in words], dtype=float)
        chances = np.maximum(sizes, 1.0) ** 1.5
        return words[int(self.draw.choice(len(words), p=chances / chances.sum()))]

    def replace(self, draft: _Draft) -> bool:
        """Another word that would do as well but for the meaning."""
        word = self._word(draft)
        if word is None:
            return False
        begin, end = word
        other = int(self.draw.choice(draft.others[:, begin]))
        if other == draft.ids[begin]:
            return False
        short = self.kinds.sizes[draft.ids[begin:end]].sum() < _SHORT
        minor = short and bool(self.kinds.begins[draft.ids[begin]])
        draft.splice(begin, end, [other], MINOR if minor else MAJOR)
        return True

    def renumber(self, draft: _Draft) -> bool:
        """Another number."""
        known = self.kinds.digits[draft.ids] & (draft.origin >= 0)
        place = self._one_of(np.flatnonzero(known))
        if place is None:
            return False
        same = self.kinds.digits & (self.kinds.begins == self.kinds.begins[draft.ids[place]])
        other = self._one_of(np.flatnonzero(same))
        if other is None or other == draft.ids[place]:
            return False
        draft.splice(place, place + 1, [other], MAJOR)
        return True

    def negate(self, draft: _Draft) -> bool:
        """A negation put in or left out."""
        if self.tag not in self.kinds.negations:
            return False
        negation, after, beside = self.kinds.negations[self.tag]
        ids = draft.ids.tolist()
        drops: list[_Edit] = [
            (place, place + 1, []) for place, number in enumerate(ids) if number == negation
        ]
        puts = [
            (place + after, place + after, [negation])
            for place, number in enumerate(ids)
            if number in beside and negation not in ids[max(0, place - 1) : place + 2]
        ]
        edits = [*drops, *puts]
        if not edits:
            return False
        draft.splice(*edits[int(self.draw.integers(len(edits)))], MAJOR)
        return True

    def turn(self, draft: _Draft) -> bool:
        """A word turned into its opposite."""
        turned = self.kinds.turned.get(self.tag, {})
        whole = [begin for begin, end in self._words(draft) if end == begin + 1]
        place = self._one_of(np.array([b for b in whole if int(draft.ids[b]) in turned], int))
        if place is None:
            return False
        draft.splice(place, place + 1, [turned[int(draft.ids[place])]], MAJOR)
        return True

    def _span(self, draft: _Draft, most: int) -> tuple[int, int]:
        """Some pieces in a row that begin with a word, where words are told apart."""
        starts = np.flatnonzero(self.kinds.begins[draft.ids])
        begin = self._one_of(starts if len(starts) > 1 else np.arange(len(draft.ids))) or 0
        length = min(int(self.draw.integers(1, most + 1)), len(draft.ids) // 2)
        later = starts[starts >= begin + max(1, length)]
        end = int(later[0]) if len(later) and len(starts) > 1 else begin + length
        return begin, min(end, len(draft.ids))

    def drop(self, draft: _Draft) -> bool:
        """Words that are missing."""
        begin, end = self._span(draft, 6)
        lost = int(self.kinds.letters[draft.ids[begin:end]].sum())
        if not lost or end - begin >= len(draft.ids) - 1:
            return False
        draft.splice(begin, end, [], MAJOR if lost > 1 else MINOR)
        return True

    def repeat(self, draft: _Draft) -> bool:
        """Words said twice."""
        begin, end = self._span(draft, 3)
        if end <= begin:
            return False
        draft.splice(end, end, draft.ids[begin:end].tolist(), MINOR)
        return True

    def exchange(self, draft: _Draft) -> bool:
        """Two words in each other's place."""
        one, other = sorted((self._word(draft) or (0, 0), self._word(draft) or (0, 0)))
        pieces = [draft.ids[begin:end].tolist() for begin, end in (one, other)]
        if pieces[0] == pieces[1]:
            return False
        draft.splice(*other, pieces[0], 0.0)  # the later one first: places before it stay
        draft.splice(*one, pieces[1], MAJOR)
        return True

    def leave(self, draft: _Draft) -> bool:
        """Words of another text (the source: left untranslated) in the place of some."""
        if len(draft.foreign) < 4:
            return False
        begin, end = self._span(draft, 4)
        first = int(self.draw.integers(0, len(draft.foreign) - 2))
        taken = draft.foreign[first : first + int(self.draw.integers(1, 5))]
        draft.splice(begin, end, taken.tolist(), MAJOR)
        return True


_Way = Callable[[ErrorMaker, _Draft], bool]
_WAYS: tuple[tuple[_Way, float], ...] = (
    (ErrorMaker.replace, 10.0),
    (ErrorMaker.drop, 3.0),
    (ErrorMaker.negate, 2.0),
    (ErrorMaker.turn, 3.0),
    (ErrorMaker.renumber, 2.0),
    (ErrorMaker.exchange, 1.5),
    (ErrorMaker.leave, 1.0),
    (ErrorMaker.repeat, 0.5),
)


def error_count(length: int, draw: np.random.Generator) -> int:
    """How many errors to make in a text of so many pieces: one mostly, more in long ones."""
    return 1 + int(draw.poisson(0.3 + length / 150))
