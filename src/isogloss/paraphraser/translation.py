"""Translating with the paraphraser: beam search with the language tag forced."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from isogloss.paraphraser.engine import SearchOptions
from isogloss.paraphraser.fitting import TooLongError
from isogloss.paraphraser.model import Model
from isogloss.paraphraser.scheduling import windows
from isogloss.paraphraser.schemes import Frame

_WINDOW = 512


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A translation that the model proposes.

    `score` is what the search ranks by: its log-probability, divided by the length (tag and end
    mark included) to the power of the length penalty. For H, score the text.
    """

    text: str
    pieces: tuple[str, ...]
    score: float


def translate(
    model: Model,
    sentences: Iterable[str],
    language: str,
    source_language: str | None,
    options: SearchOptions,
) -> Iterator[tuple[Hypothesis, ...]]:
    """The best hypotheses for each sentence, in order; none for an empty one."""
    around = model.frame(source_language, language)
    for window in windows(sentences, _WINDOW):
        yield from _translated(model, window, around, options)


def _translated(
    model: Model, sentences: Sequence[str], around: Frame, options: SearchOptions
) -> Iterator[tuple[Hypothesis, ...]]:
    sources = {
        number: around.source_start + text.tokens(model.engine.unknown_token) + around.source_end
        for number, text in enumerate(model.source_side.encode(sentences))
        if len(text)
    }
    for number, source in sources.items():
        if len(source) > model.card.max_source_length:
            raise TooLongError(
                f"{sentences[number][:40]!r}...: {len(source)} pieces, the model reads at most "
                f"{model.card.max_source_length}; shorten the sentence"
            )
    prefix = around.target_start
    # The engine counts the prefix too, and the model must have room left for the end mark.
    longest = min(options.longest + len(prefix), model.card.max_target_length - 1)
    found = model.engine.translate(
        list(sources.values()),
        [prefix] * len(sources),
        replace(options, longest=longest),
    )
    hypotheses = dict(zip(sources, found, strict=True))
    for number in range(len(sentences)):
        yield tuple(
            Hypothesis(model.target_side.decode(pieces), tuple(pieces), score)
            for pieces, score in hypotheses.get(number, ())
        )
