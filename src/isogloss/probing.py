"""The Prism paper's own analyses, for any model (Thompson & Post 2020, section 6).

* Does H(output | reference) rise with the overlap of both? Mean H in bins of sentence BLEU.
* Does the model prefer to copy? Log-probability of its own beam output, of a copy of the input,
  and of a human paraphrase (a second reference), all given the same reference.
* How far from a copy is what it generates? BLEU of the beam output against its input.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from statistics import fmean, stdev

from isogloss.documents import Collection, TestSet
from isogloss.errors import NotApplicableError
from isogloss.metrics import Bleu
from isogloss.model import Pair, Paraphraser, SearchOptions, TokenScores

BIN_EDGES = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """Segments whose sentence BLEU lies in [low, high); the last bin includes its end."""

    low: float
    high: float
    segments: int
    mean: float | None
    deviation: float | None


@dataclass(frozen=True, slots=True)
class Probe:
    """What the analyses found; log-probabilities are means per piece (H) over sentences."""

    bins: tuple[Bin, ...]
    sentences: int
    beam: float
    copy: float
    human: float | None
    beam_bleu: float


def probe(
    paraphraser: Paraphraser, collection: Collection, sentences: int = 200, beam: int = 5
) -> Probe:
    """Run the analyses on a test set; `sentences` of its references are paraphrased."""
    testset = collection.testset
    if not testset.reference_names or testset.target_language is None:
        raise NotApplicableError("a probe needs a reference and the target language")
    language = testset.target_language
    chosen = list(islice(_paraphrases(testset), sentences))
    references = [reference for reference, _ in chosen]
    options = SearchOptions(beam=beam)
    found = paraphraser.translate(references, language, source_language=language, options=options)
    beams = [hypotheses[0].text for hypotheses in found]
    return Probe(
        bins=_binned(paraphraser, collection, language),
        sentences=len(chosen),
        beam=_mean_h(paraphraser, zip(references, beams, strict=True), language) or 0.0,
        copy=_mean_h(paraphraser, zip(references, references, strict=True), language) or 0.0,
        human=_mean_h(paraphraser, ((r, h) for r, h in chosen if h), language),
        beam_bleu=_corpus_bleu(beams, references),
    )


def _paraphrases(testset: TestSet) -> Iterator[tuple[str, str | None]]:
    """Each segment of the first reference with what the second says, where there is one."""
    for document in testset.documents:
        first, *others = document.references.values()
        for segment, text in enumerate(first):
            if text:
                yield text, others[0][segment] if others else None


def _mean_h(
    paraphraser: Paraphraser, pairs: Iterable[tuple[str, str]], language: str
) -> float | None:
    """The mean H of targets given conditions; `None` if there is none to score."""
    asked = (Pair(condition, target, language, language) for condition, target in pairs)
    found = [scores.mean for scores in paraphraser.score(asked, long="split") if scores]
    return fmean(found) if found else None


def _binned(paraphraser: Paraphraser, collection: Collection, language: str) -> tuple[Bin, ...]:
    texts = list(_against_reference(collection))
    sentence_bleu = Bleu().sacrebleu(sentence=True)
    bleu = [sentence_bleu.sentence_score(output, [ref]).score for ref, output in texts]
    asked = (Pair(reference, output, language, language) for reference, output in texts)
    scored = list(paraphraser.score(asked, long="split"))
    return tuple(_bin(low, high, bleu, scored) for low, high in pairwise(BIN_EDGES))


def _bin(
    low: float, high: float, bleu: Sequence[float], scored: Sequence[TokenScores | None]
) -> Bin:
    last = high == BIN_EDGES[-1]
    inside = [
        scores.mean
        for value, scores in zip(bleu, scored, strict=True)
        if scores is not None and low <= value and (value < high or last)
    ]
    mean = fmean(inside) if inside else None
    return Bin(low, high, len(inside), mean, stdev(inside) if len(inside) > 1 else None)


def _against_reference(collection: Collection) -> Iterator[tuple[str, str]]:
    """Every output segment beside the first reference, where both are there."""
    for output in collection.outputs:
        for translation in collection.translations(output):
            reference = next(iter(translation.document.references.values()))
            for text, known in zip(translation.output, reference, strict=True):
                if text and known:
                    yield known, text


def _corpus_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    scorer = Bleu().sacrebleu(sentence=False)
    return float(scorer.corpus_score(list(hypotheses), [list(references)]).score)
