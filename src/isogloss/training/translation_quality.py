"""BLEU of a model's translations of held-out text, for each direction of some bitext."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from isogloss.documents import Collection, Document, SystemOutput, TestSet
from isogloss.evaluation import evaluate
from isogloss.model import Paraphraser, SearchOptions, find_model
from isogloss.training.bitext import Bitext, read_bitext


def bleu_of_pairs(
    model: str, bitexts: Sequence[Path], sentences: int = 100, beam: int = 1
) -> Iterator[tuple[str, float]]:
    """(direction, corpus BLEU) for both directions of every pair of columns of each file."""
    translator = Paraphraser.load(find_model(model))
    options = SearchOptions(beam=beam)
    for path in bitexts:
        bitext = read_bitext(path)
        for source in range(len(bitext.languages)):
            for target in range(len(bitext.languages)):
                if source != target:
                    pairs = _pairs(bitext, source, target, sentences)
                    languages = bitext.languages[source], bitext.languages[target]
                    yield "-".join(languages), _bleu(translator, pairs, *languages, options)


def _pairs(bitext: Bitext, source: int, target: int, count: int) -> list[tuple[str, str]]:
    filled = ((row[source], row[target]) for row in bitext.rows() if row[source] and row[target])
    return list(islice(filled, count))


def _bleu(
    translator: Paraphraser,
    pairs: Sequence[tuple[str, str]],
    source_language: str,
    language: str,
    options: SearchOptions,
) -> float:
    sources, references = zip(*pairs, strict=True)
    found = translator.translate(
        sources, language, source_language=source_language, options=options
    )
    texts = tuple(hypotheses[0].text if hypotheses else "" for hypotheses in found)
    document = Document("held-out", sources, {"ref": references})
    testset = TestSet("held-out", source_language, language, (document,))
    collection = Collection(testset, (SystemOutput("model", {"held-out": texts}),))
    return evaluate(collection, ["bleu"]).rows[0].score or 0.0
