"""``isogloss list``: the metrics, languages and formats there are."""

from collections.abc import Mapping
from importlib.util import find_spec

import typer

from isogloss.cli.grid import Grid
from isogloss.cli.output import Output, OutputOption, Record, Result, show
from isogloss.errors import MetricNameError

app = typer.Typer(help="List metrics, languages or formats.", no_args_is_help=True)


def _result(title: str, records: list[Record], notes: list[str], *prose: str) -> Result:
    headings = list(records[0])
    rows = [[str(record[heading]) for heading in headings] for record in records]
    texts = frozenset(map(headings.index, prose))
    lead = len(headings) if prose else 1
    return Result([Grid(title, headings, rows, notes, lead=lead, prose=texts)], records)


@app.command()
def metrics(output: OutputOption = Output.TABLE) -> None:
    """The metrics, with their options and defaults."""
    from isogloss.metrics import known_metrics

    records: list[Record] = [
        {
            "metric": entry.name,
            "what it measures": entry.description,
            "options": ", ".join(f"{k}={_shown(v)}" for k, v in _options(entry.name).items()),
        }
        for entry in known_metrics()
    ]
    note = "use them as name or name(option=value,...), e.g. bleu(tokenize=zh)"
    show(_result("Metrics", records, [note], "what it measures", "options"), output)


def _options(metric: str) -> Mapping[str, object]:
    from isogloss.metrics import ConfiguredMetric, load_metric

    try:
        loaded = load_metric(metric)
    except MetricNameError:  # a plug-in that cannot be loaded does not hide the others
        return {}
    return loaded.options() if isinstance(loaded, ConfiguredMetric) else {}


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)


_BLEU_NEEDS = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}


@app.command()
def languages(output: OutputOption = Output.TABLE) -> None:
    """What each language gets: what finds words, stems, lemmas and parts of speech, and so on."""
    from isogloss.language import languages as supported
    from isogloss.metrics import Bleu

    records: list[Record] = []
    for language in supported():
        bleu = Bleu.configured({}, None, language.code).tokenize
        needed = _BLEU_NEEDS.get(bleu)
        ready = not language.missing and (needed is None or find_spec(needed) is not None)
        records.append(
            {
                "code": language.code,
                "language": language.name,
                "words": language.words,
                "stems": language.stems or "-",
                "lemmas": language.lemmas or "-",
                "parts of speech": language.tags or "-",
                "function words": language.function_words or "-",
                "BLEU tokeniser": bleu,
                "ready": "yes" if ready else "no: pip install 'isogloss[languages]'",
            }
        )
    note = "all other languages: words by Unicode's rules, BLEU's tokeniser 13a, and no more"
    show(_result("Languages", records, [note]), output)


@app.command()
def formats(output: OutputOption = Output.TABLE) -> None:
    """The file formats, which are recognised by their content."""
    from isogloss.formats import known_formats

    records: list[Record] = [
        {
            "format": format.name,
            "holds": format.holds.value,
            "written": "yes" if format.writes else "no",
            "what it is": format.description,
        }
        for format in known_formats()
    ]
    note = "all of them also compressed as .gz, .xz or .zst"
    show(_result("Formats", records, [note], "what it is"), output)
