"""The whole job in a few functions: read, segment, align, check consistency, judge, report.

Each of them brings the parts of several rooms together, and loads them when it is called: whoever
reads a test set needs no aligner. The rooms offer more.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.documents import Collection
from isogloss.errors import MismatchError
from isogloss.judgements import Judgements
from isogloss.runtime import Runtime
from isogloss.scores import ScoreTable

if TYPE_CHECKING:
    from isogloss.alignment import SegmentAlignment, SegmentPair
    from isogloss.comparison import ComparisonSettings
    from isogloss.formats import ReadOptions
    from isogloss.metaeval import Judged, JudgingSettings, Study
    from isogloss.metrics.consistency import Ltcr, Variation
    from isogloss.tuning import Tuned, TuneSettings

_PLAIN = Runtime()


def read(
    path: str | Path, format: str | None = None, options: "ReadOptions | None" = None
) -> Collection:
    """Read a test set with its systems.

    Args:
        path: a file or folder; its format is known by its content.
        format: the name of the format, where that should not be guessed.
        options: what the files leave open, such as languages or the pair of a folder of several.

    Returns:
        The test set and the outputs of its systems.

    Raises:
        FormatError: the file does not hold what its format promises, or no format fits.

    Example:
        >>> import isogloss
        >>> from isogloss.sample import sample_path
        >>> isogloss.read(sample_path("cs-en"))
        Collection sample-cs-en, cs → en: 8 documents, 53 segments; reference: ref
        systems: steady, shifting, tangled
    """
    from isogloss.formats import read_collection

    return read_collection(path, format, options)


def segment(
    collection: Collection,
    *,
    realign: bool = False,
    sentences: bool = False,
    runtime: Runtime = _PLAIN,
) -> Collection:
    """Cut what was handed in whole into the segments of the source.

    Args:
        collection: a test set, some of whose systems or references have other segments.
        realign: cut the outputs that have as many segments as the source, too.
        sentences: cut paragraphs of the source into sentences first.
        runtime: where the model runs, and who is told how far it has come.

    Returns:
        The collection with a text for every segment of the source. `SystemOutput.cuts` tells where
        each of them stands in the text that was handed in, and what was left out or added.

    Raises:
        NotApplicableError: there is no source to cut by.

    Example:
        >>> import isogloss
        >>> from isogloss.documents import Unsplit
        >>> from isogloss.wholes import WholeText
        >>> pets = isogloss.Document("pets", ("Der Hund schläft.", "Die Katze wacht."))
        >>> whole = Unsplit("a", {"pets": WholeText.of_lines(["The dog sleeps. The cat wakes."])})
        >>> testset = isogloss.TestSet("made", "de", "en", (pets,))
        >>> collection = isogloss.segment(isogloss.Collection(testset, unsplit=(whole,)))
        >>> collection.outputs[0].documents["pets"]
        ('The dog sleeps.', 'The cat wakes.')
    """
    from isogloss.segmentation import split

    return split(collection, runtime=runtime, realign=realign, sentences=sentences)


def align(
    sources: Sequence[str],
    translations: Sequence[str],
    source_language: str | None = None,
    target_language: str | None = None,
    *,
    by: str | None = None,
    runtime: Runtime = _PLAIN,
) -> list[list[tuple[str, str]]]:
    """Which words of translations stand for which words of their sources.

    Args:
        sources: segments.
        translations: their translations, as many.
        source_language: a BCP 47 code; the model's attention needs to know both.
        target_language: likewise.
        by: the aligner's name; the default takes what suits the languages.
        runtime: where a model runs, and where links are kept.

    Returns:
        For each segment the pairs of words that are linked.

    Raises:
        MismatchError: not as many translations as sources.

    Example:
        >>> import isogloss
        >>> isogloss.align(["Der Hund schläft."], ["The dog sleeps."], "de", "en")
        [[('Der', 'The'), ('Hund', 'dog'), ('schläft', 'sleeps'), ('.', '.')]]
    """
    from isogloss.alignment import AUTO, Splitter, aligner
    from isogloss.language import tokeniser

    if len(sources) != len(translations):
        raise MismatchError(
            f"there are {len(sources):,} sources and {len(translations):,} translations"
        )
    splitter = Splitter(tokeniser(source_language), tokeniser(target_language))
    texts = enumerate(zip(sources, translations, strict=True))
    pairs = [splitter.pair(*both, segment=number) for number, both in texts]
    chosen = aligner(
        by or AUTO,
        source_language=source_language,
        target_language=target_language,
        runtime=runtime,
    )
    found = chosen.align([pair.words for pair in pairs])
    return [_linked(pair, links) for pair, links in zip(pairs, found, strict=True)]


def _linked(pair: "SegmentPair", found: "SegmentAlignment") -> list[tuple[str, str]]:
    ours, theirs = pair.words
    return [(ours[i], theirs[j]) for i, j in sorted(found.links)]


def consistency(
    collection: Collection, metric: "Ltcr | None" = None, *, runtime: Runtime = _PLAIN
) -> "dict[str, tuple[Variation, ...]]":
    """Every repeated source word with its renderings, the most varied first.

    Args:
        collection: a test set with the outputs of systems.
        metric: how words are found and aligned, and what counts as untranslated.
        runtime: where a model runs, and where links are kept.

    Returns:
        For each system its words, those that vary first; `Variation.variants` are the renderings.

    Raises:
        NotApplicableError: the languages are not known, or there is no source.

    Example:
        >>> import isogloss
        >>> words = isogloss.consistency(isogloss.load_sample("cs-en"))
        >>> words["shifting"][0].word, [v.text for v in words["shifting"][0].variants]
        ('nájemce', ['renter', 'lessee', 'occupant', 'tenant', 'leaseholder'])
    """
    from isogloss.metrics.consistency import Ltcr, Rule, variations

    collection = segment(collection, runtime=runtime)
    chosen = (metric or Ltcr()).with_runtime(runtime)
    translations = [t for output in collection.outputs for t in collection.translations(output)]
    rule = Rule("pairs", chosen.null)
    words: dict[str, list[Variation]] = {name: [] for name in collection.system_names}
    for found in chosen.rendered(translations, chosen.chooser(translations)):
        listed = variations(found.translation.document.id, found.with_references(), rule)
        words[found.translation.system] += listed
    return {
        system: tuple(sorted(found, key=lambda word: -word.impact))
        for system, found in words.items()
    }


def metaevaluate(
    tables: ScoreTable | Sequence[ScoreTable],
    judgements: Judgements,
    collection: Collection,
    task: str | None = None,
    settings: "JudgingSettings | None" = None,
) -> "Judged":
    """How well metrics agree with people.

    Args:
        tables: scores of one or more metrics.
        judgements: what people said of the same systems (`read_judgements`).
        collection: the test set that both are about.
        task: a task that comes with isogloss (``overview``, ``wmt23`` ...) or a TOML file.
        settings: intervals, tests and their corrections.

    Returns:
        Every statistic of the task for every metric, with intervals and ranks.

    Raises:
        InputError: no system was both scored and judged, or there is no such task.

    Example:
        >>> import isogloss
        >>> collection = isogloss.load_sample("cs-en")
        >>> table = isogloss.evaluate(collection, "bleu,chrf")
        >>> liked = {"steady": 90, "shifting": 70, "tangled": 30}
        >>> people = isogloss.Judgements("da", tuple(
        ...     isogloss.Judgement(system, document.id, segment, score=score - segment)
        ...     for system, score in liked.items()
        ...     for document in collection.testset.documents
        ...     for segment in range(len(document))
        ... ))
        >>> found = isogloss.metaevaluate(table, people, collection, "wmt23")
        >>> [column.statistic.name for column in found.columns]
        ['pairwise-accuracy', 'pearson', 'pearson', 'acc-eq']
    """
    from isogloss.metaeval import DEFAULT_TASK, judge, task_for

    chosen = task_for([judgements], task or DEFAULT_TASK)
    return judge([_study(tables, judgements, collection)], chosen, settings)


def tune(
    tables: ScoreTable | Sequence[ScoreTable],
    judgements: Judgements,
    collection: Collection,
    metrics: Sequence[str] | None = None,
    settings: "TuneSettings | None" = None,
) -> "Tuned":
    """Weights with which metrics together agree best with people, judged on documents left out.

    Args:
        tables: scores of two or more metrics.
        judgements: what people said of the same systems.
        collection: the test set that both are about.
        metrics: the names of those that take part; all of them by default.
        settings: the level, the groups that are left out, and the intervals.

    Returns:
        The weights, and how good they are on what they were not trained on.

    Raises:
        InputError: too little was judged to train on.

    Example:
        >>> import isogloss
        >>> collection = isogloss.load_sample("cs-en")
        >>> table = isogloss.evaluate(collection, "bleu,chrf")
        >>> liked = {"steady": 90, "shifting": 70, "tangled": 30}
        >>> people = isogloss.Judgements("da", tuple(
        ...     isogloss.Judgement(system, document.id, segment, score=score - segment)
        ...     for system, score in liked.items()
        ...     for document in collection.testset.documents
        ...     for segment in range(len(document))
        ... ))
        >>> from isogloss.tuning import TuneSettings
        >>> settings = TuneSettings(folds=4)
        >>> tuned = isogloss.tune(table, people, collection, settings=settings)
        >>> [part.metric for part in tuned.parts]
        ['bleu', 'chrf']
    """
    from isogloss.tuning import tune as tune_study

    return tune_study(_study(tables, judgements, collection), metrics, settings)


def _study(
    tables: ScoreTable | Sequence[ScoreTable], judgements: Judgements, collection: Collection
) -> "Study":
    from isogloss.metaeval import study_of

    given = [tables] if isinstance(tables, ScoreTable) else list(tables)
    return study_of(given, judgements, collection)


def write_report(
    path: str | Path,
    collection: Collection,
    table: ScoreTable,
    judgements: Judgements | None = None,
    settings: "ComparisonSettings | None" = None,
) -> None:
    """Write the report, one HTML file that holds everything.

    Args:
        path: where to.
        collection: the texts.
        table: their scores.
        judgements: what people said, shown beside the metrics.
        settings: how systems are compared.

    Raises:
        InputError: the scores are not those of the collection.

    Example:
        >>> import isogloss, tempfile
        >>> collection = isogloss.load_sample("cs-en")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = Path(folder, "report.html")
        ...     isogloss.write_report(page, collection, isogloss.evaluate(collection, "bleu"))
        ...     page.read_text().startswith("<!doctype html>")
        True
    """
    from isogloss.comparison import compare
    from isogloss.report import report_data
    from isogloss.report import write_report as write_page

    comparisons = compare(table, settings=settings)
    collection = segment(collection)
    write_page(report_data(collection, table, comparisons, judgements), Path(path))
