"""Decisions on the examples of a suite, and the share of right ones.

A contrast is decided rightly if the right translation scores strictly higher than every other, as
the published scripts have it: a tie is a mistake. An expectation is met if the form stands in the
last sentence of the output as a word, whatever its case, punctuation left out, as in ctxpro.
"""

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import InputError, MismatchError
from isogloss.model import Pair, Paraphraser
from isogloss.segmentation import sentence_places
from isogloss.suites.examples import Contrast, ExpectedForm, Suite

Norm = Literal["mean", "sum"]
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
ALL = "all"


def by_model(
    suite: Suite,
    model: Paraphraser,
    source_language: str,
    target_language: str,
    context: int = 0,
    norm: Norm = "mean",
) -> tuple[list[bool], int]:
    """What a model prefers given the source, behind so many sentences before.

    Beside it, how many translations were too long to be read whole with their context.
    """
    _needs(suite.contrasts, suite, "has no translations to choose from; give --outputs")
    pairs = (
        Pair(
            contrast.source,
            candidate.text,
            target_language,
            source_language,
            _last(contrast.before, context),
            _last(candidate.before, context),
        )
        for contrast in suite.contrasts
        for candidate in contrast.candidates
    )
    found = list(model.score(pairs, long="split"))
    scores = [
        float("nan") if each is None else each.mean if norm == "mean" else each.sum
        for each in found
    ]
    cut = sum(each is not None and (each.parts > 1 or each.truncated_context > 0) for each in found)
    return by_scores(suite, scores), cut


def _last(sentences: tuple[str, ...], count: int) -> tuple[str, ...]:
    return sentences[-count:] if count else ()


def by_scores(suite: Suite, scores: Sequence[float], *, losses: bool = False) -> list[bool]:
    """What somebody's scores prefer, one for each candidate in the order of the file.

    ContraPro's are the reference's first, then the errors'. `losses` are better when lower.
    """
    _needs(suite.contrasts, suite, "has no translations to score; give --outputs")
    wanted = sum(len(contrast.candidates) for contrast in suite.contrasts)
    if len(scores) != wanted:
        raise MismatchError(f"{len(scores)} scores; suite {suite.name!r} has {wanted} translations")
    better = [-score if losses else score for score in scores]
    decisions, start = [], 0
    for contrast in suite.contrasts:
        own = better[start : start + len(contrast.candidates)]
        others = own[: contrast.right] + own[contrast.right + 1 :]
        decisions.append(all(own[contrast.right] > other for other in others))
        start += len(contrast.candidates)
    return decisions


def by_outputs(suite: Suite, outputs: Sequence[str], language: str | None) -> list[bool]:
    """Whether translations, one an example, have the forms that they must have."""
    _needs(suite.expectations, suite, "compares given translations; give --model or --scores")
    if len(outputs) != len(suite.expectations):
        raise MismatchError(
            f"{len(outputs)} outputs; suite {suite.name!r} has {len(suite.expectations)} examples"
        )
    return [
        _stands(example.expected, _last_sentence(output, language))
        for example, output in zip(suite.expectations, outputs, strict=True)
    ]


def _last_sentence(output: str, language: str | None) -> str:
    """What translates the sentence in question, where its context was translated, too."""
    places = sentence_places(output, language)
    return output[places[-1][0] : places[-1][1]] if places else output


def _stands(form: str, text: str) -> bool:
    plain = text.lower().translate(_NO_PUNCTUATION)
    return f" {form.lower()} " in f" {' '.join(plain.split())} "


def _needs(examples: Sequence[object], suite: Suite, otherwise: str) -> None:
    if not examples:
        raise InputError(f"suite {suite.name!r} ({suite.layout}) {otherwise}")


# --- shares --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right decisions among the examples of one class, with its interval."""

    group: str
    name: str
    right: int
    total: int
    interval: tuple[float, float] | None

    @property
    def share(self) -> float:
        return self.right / self.total


def accuracies(suite: Suite, decisions: Sequence[bool], confidence: float = 0.95) -> list[Accuracy]:
    """The share of all, then of every class of every group."""
    classes: dict[tuple[str, str], list[int]] = {(ALL, ALL): list(range(len(decisions)))}
    for place, example in enumerate(suite.examples):
        for group, name in example.groups.items():
            classes.setdefault((group, name), []).append(place)
    found = [
        _accuracy(group, name, [suite.examples[i] for i in places], decisions, places, confidence)
        for (group, name), places in classes.items()
    ]
    order = list(dict.fromkeys(group for group, _ in classes))
    return sorted(found, key=lambda a: (order.index(a.group), a.name))


def _accuracy(
    group: str,
    name: str,
    examples: Iterable[Contrast | ExpectedForm],
    decisions: Sequence[bool],
    places: Sequence[int],
    confidence: float,
) -> Accuracy:
    right = np.array([decisions[i] for i in places], dtype=float)
    documents = [example.document or place for example, place in zip(examples, places, strict=True)]
    interval = share_interval(right, documents, confidence)
    return Accuracy(group, name, int(right.sum()), len(right), interval)


def share_interval(
    right: NDArray[np.float64], documents: Sequence[object], confidence: float = 0.95
) -> tuple[float, float] | None:
    """Wilson's interval of as many examples as the documents are worth.

    Examples of one document may go right or wrong together: what their share scatters more than
    that of independent ones counts as if there were fewer of them, and few documents widen it by
    Student's t. `None` where there is only one document.
    """
    from scipy.special import stdtrit

    _, cluster = np.unique(np.array([str(d) for d in documents]), return_inverse=True)
    sizes = np.bincount(cluster).astype(float)
    if len(sizes) < 2:
        return None
    n, share = len(right), float(right.mean())
    count = n / _design_effect(np.bincount(cluster, right).astype(float), sizes, share)
    z = float(stdtrit(len(sizes) - 1, (1 + confidence) / 2))
    middle = (share + z**2 / (2 * count)) / (1 + z**2 / count)
    half = z / (1 + z**2 / count) * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def _design_effect(right: NDArray[np.float64], sizes: NDArray[np.float64], share: float) -> float:
    """How much more the share scatters between documents than if all examples were independent."""
    if not 0 < share < 1:
        return 1.0
    k, n = len(sizes), float(sizes.sum())
    variance = k / (k - 1) * float(((right - share * sizes) ** 2).sum()) / n**2
    return max(1.0, variance / (share * (1 - share) / n))
