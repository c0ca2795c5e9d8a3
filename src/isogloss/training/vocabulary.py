"""The shared vocabulary: one SentencePiece model for all languages, with tags and a separator.

Languages are sampled with a temperature, so that small ones get pieces of their own. The special
pieces are those of the paraphraser folder: ``<unk>`` 0, ``<s>`` 1, ``</s>`` 2, then ``<xx>`` for
every language and ``<sep>`` between the sentences of a document.

What a vocabulary allows besides its best spelling: split pieces, and pieces without a space.

Splitting a piece in two now and then is subword regularisation (Kudo 2018, Provilkov et al. 2020)
on text that is encoded already. Pieces without their space join the sentences of a paragraph in
languages that write none between them.
"""

import io
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Integers
from isogloss.errors import InputError
from isogloss.training.bitext import Bitext

SPACELESS = frozenset({"ja", "zh"})
_SPACE = "\u2581"  # SentencePiece's mark for the space before a word
NONE = -1


@dataclass(frozen=True, eq=False)
class Spelling:
    """`halves[id]` are the two pieces an id may be split into, or `NONE`.

    `unspaced[id]` is the piece without the space before it: the id itself where it has none or
    where the vocabulary lacks the rest, and `NONE` where it is nothing but the space.
    """

    separator: int
    halves: Integers
    unspaced: Integers


def spelling_of(pieces: Any, separator: int) -> Spelling:
    """The tables of a SentencePiece model."""
    size = int(pieces.get_piece_size())
    ids = {
        pieces.id_to_piece(number): number
        for number in range(size)
        if _is_text(pieces, number, separator)
    }
    scores = {piece: float(pieces.get_score(number)) for piece, number in ids.items()}
    halves = np.full((size, 2), NONE, dtype=np.int64)
    unspaced = np.arange(size, dtype=np.int64)
    for piece, number in ids.items():
        cuts = [(piece[:at], piece[at:]) for at in range(1, len(piece))]
        known = [cut for cut in cuts if cut[0] in ids and cut[1] in ids]
        if known:
            best = max(known, key=lambda cut: scores[cut[0]] + scores[cut[1]])
            halves[number] = [ids[best[0]], ids[best[1]]]
        if piece == _SPACE:
            unspaced[number] = NONE
        elif piece.startswith(_SPACE):
            unspaced[number] = ids.get(piece[1:], number)
    return Spelling(separator, halves, unspaced)


def _is_text(pieces: Any, number: int, separator: int) -> bool:
    """Not a mark, a tag or a byte (tags and the separator lie before all text)."""
    return number > separator and not (pieces.is_control(number) or pieces.is_byte(number))


UNKNOWN, START, END = 0, 1, 2
SEPARATOR = "<sep>"


def language_tag(language: str) -> str:
    """The piece that tells the decoder which language to write."""
    return f"<{language}>"


def temperature_shares(counts: dict[str, float], temperature: float) -> dict[str, float]:
    """Shares proportional to ``count ** (1/temperature)``: 1 keeps them, infinity levels them."""
    raised = {key: count ** (1 / temperature) for key, count in counts.items() if count > 0}
    total = sum(raised.values())
    return {key: value / total for key, value in raised.items()}


def sample_sentences(
    bitexts: Sequence[Bitext], total: int, temperature: float, seed: int = 1
) -> Iterator[str]:
    """About `total` sentences, languages levelled by the temperature, each sentence once at most.

    Takes two passes: one to count, one to draw, so that nothing has to be held in memory.
    """
    counts = Counter(language for language, _ in _sentences(bitexts))
    shares = temperature_shares({key: float(value) for key, value in counts.items()}, temperature)
    keep = {language: share * total / counts[language] for language, share in shares.items()}
    draw = random.Random(seed)  # noqa: S311 (sampling, not secrecy)
    for language, sentence in _sentences(bitexts):
        if draw.random() < keep[language]:
            yield sentence


def _sentences(bitexts: Sequence[Bitext]) -> Iterator[tuple[str, str]]:
    for bitext in bitexts:
        for row in bitext.rows():
            for language, sentence in zip(bitext.languages, row, strict=True):
                if sentence:
                    yield language, sentence


def train_vocabulary(
    sentences: Iterable[str],
    languages: Sequence[str],
    model: Path,
    size: int = 32_000,
    threads: int = 2,
) -> None:
    """Write a unigram SentencePiece model with byte fallback to `model`."""
    import sentencepiece

    trained = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=trained,
            model_type="unigram",
            vocab_size=size,
            character_coverage=0.9995,
            byte_fallback=True,
            normalization_rule_name="nmt_nfkc",
            user_defined_symbols=[*map(language_tag, languages), SEPARATOR],
            unk_id=UNKNOWN,
            bos_id=START,
            eos_id=END,
            pad_id=-1,
            num_threads=threads,
            max_sentence_length=2000,
            train_extremely_large_corpus=False,
            minloglevel=1,
        )
    except RuntimeError as error:
        raise InputError(_why_none(error, size)) from error
    model.parent.mkdir(parents=True, exist_ok=True)
    model.write_bytes(trained.getvalue())


def _why_none(error: RuntimeError, size: int) -> str:
    """Which sizes a text can fill only the trainer knows, and says in a message of its own."""
    most = re.search(r"Vocabulary size too high.*<= (\d+)", str(error))
    if most is None:
        return f"no vocabulary of {size:,} pieces could be learnt from this text: {error}"
    return (
        f"the text has too few different words for {size:,} pieces: ask for at most "
        f"{int(most[1]):,}, or give more text"
    )


class Vocabulary:
    """A trained SentencePiece model with the ids that the trainer needs."""

    def __init__(self, model: Path) -> None:
        import sentencepiece

        if not model.is_file():
            raise InputError(f"{model}: no such SentencePiece model")
        self.pieces: Any = sentencepiece.SentencePieceProcessor(model_file=str(model))
        self.size: int = self.pieces.get_piece_size()
        self.separator = self._id(SEPARATOR)

    def tag(self, language: str) -> int:
        """The id of a language's tag."""
        return self._id(language_tag(language))

    def tags(self, languages: Iterable[str]) -> dict[str, int]:
        """The ids of the tags of some languages."""
        return {language: self.tag(language) for language in languages}

    def encode(self, sentences: Sequence[str], threads: int = 1) -> list[list[int]]:
        """The ids of each sentence, without tag and end."""
        encoded: list[list[int]] = self.pieces.encode(
            list(sentences), out_type=int, num_threads=threads
        )
        return encoded

    def spelling(self) -> Spelling:
        """Other spellings than the best one, for noise and paragraphs."""
        return spelling_of(self.pieces, self.separator)

    def _id(self, piece: str) -> int:
        number = int(self.pieces.piece_to_id(piece))
        if number == UNKNOWN:
            raise InputError(f"the vocabulary has no piece {piece}; train it with that language")
        return number
