"""Independent readers: what the scores of a damaged file must be, where it still means something.

None of them shares code with isogloss. Each reads the file in the plainest way that its format
allows and scores it with sacrebleu; what it cannot read with certainty it does not judge.
"""

import json
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any

from sacrebleu.metrics.bleu import BLEU

Systems = Mapping[str, Sequence[str]]
Lines = Sequence[str]


class NotJudgedError(Exception):
    """This reader does not understand the file, which is no proof that nobody does."""


class WrongScoreError(Exception):
    """The program gives another score than the independent reader."""


def _compare(output: str, reference: Lines, systems: Systems) -> bool:
    """Whether the printed scores are sacrebleu's; an error where they are not."""
    told = json.loads(output)
    results = told["results"]
    if any("tok:13a" not in each.get("signature", "tok:13a") for each in results):
        raise NotJudgedError
    given = {each["system"]: each["score"] for each in results if each["metric"] == "bleu"}
    if set(given) != set(systems):
        raise WrongScoreError(f"systems {sorted(given)}, expected {sorted(systems)}")
    for name, lines in systems.items():
        expected = BLEU().corpus_score(list(lines), [list(reference)]).score
        if given[name] is None or abs(given[name] - expected) > 1e-6:
            raise WrongScoreError(f"{name}: {given[name]}, expected {expected}")
    return True


def _text(path: Path) -> str:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b" or data[:4] in (b"\xfd7zX", b"\x28\xb5\x2f\xfd"):
        raise NotJudgedError
    return data.decode("utf-8-sig")


def _need(condition: object) -> None:
    if not condition:
        raise NotJudgedError


def jsonl(folder: Path, output: str) -> bool:
    """JSON lines with 'reference' texts nested by name."""
    rows = [json.loads(line) for line in _text(folder / "set.jsonl").split("\n") if line]
    rows = _ordered([(row["doc"], row["segment"], row) for row in rows])
    names = [list(row["systems"]) for row in rows]
    _need(all(each == names[0] for each in names))
    _need(all(list(row["references"]) == ["ref"] for row in rows))
    systems = {name: [row["systems"][name] for row in rows] for name in names[0]}
    return _judged(output, [row["references"]["ref"] for row in rows], systems)


def _ordered(rows: list[tuple[str, Any, Any]]) -> list[Any]:
    """By document as they come first, by number within."""
    _need(all(isinstance(doc, str) and isinstance(number, int) for doc, number, _ in rows))
    first = {doc: at for at, (doc, _, _) in reversed(list(enumerate(rows)))}
    _need(len({(doc, number) for doc, number, _ in rows}) == len(rows))
    return [row for _, _, row in sorted(rows, key=lambda each: (first[each[0]], each[1]))]


def _judged(output: str, reference: Sequence[Any], systems: Mapping[str, Sequence[Any]]) -> bool:
    _need(systems)
    _need(all(isinstance(text, str) for text in reference))
    _need(all(isinstance(text, str) for lines in systems.values() for text in lines))
    return _compare(output, reference, systems)


def tsv(folder: Path, output: str) -> bool:
    """A header, and as many cells in every row."""
    lines = _text(folder / "set.tsv").split("\n")
    if not lines[-1]:
        lines.pop()
    header, *rows = [line.removesuffix("\r").split("\t") for line in lines]
    _need(len(set(header)) == len(header) and {"doc", "segment", "reference:ref"} <= set(header))
    systems = [name for name in header if name.startswith("system:")]
    _need(
        sum(
            name.lower().startswith(("ref", "sys", "hyp", "mt", "out", "tran", "target"))
            for name in header
        )
        == len(systems) + 1 + ("target_language" in header)
    )
    cells = [dict(zip(header, row, strict=True)) for row in rows]
    _need(all(re.fullmatch("[0-9]+", row["segment"]) for row in cells))
    _need(not any(cell == "\\N" for row in rows for cell in row))
    rows_in_order = _ordered([(row["doc"], int(row["segment"]), row) for row in cells])
    found = {name.partition(":")[2]: [row[name] for row in rows_in_order] for name in systems}
    return _judged(output, [row["reference:ref"] for row in rows_in_order], found)


def xml(folder: Path, output: str) -> bool:
    """WMT's XML with expat in place of libxml2."""
    root = ElementTree.fromstring(_text(folder / "set.xml").encode())
    reference: list[str] = []
    systems: dict[str, list[str]] = {}
    docs = list(root.iter("doc"))
    for doc in docs:
        (source,) = doc.findall("src")
        ids = [seg.get("id") for seg in source.iter("seg")]
        refs = doc.findall("ref")
        _need(len(refs) == 1 and refs[0].get("translator") == "ref")
        reference += _texts(refs[0], ids)
        for hyp in doc.findall("hyp"):
            systems.setdefault(hyp.get("system", ""), []).extend(_texts(hyp, ids))
    _need(all(len(lines) == len(reference) for lines in systems.values()))
    return _judged(output, reference, systems)


def _texts(version: ElementTree.Element, ids: Sequence[str | None]) -> list[str]:
    by_id = {seg.get("id"): seg.text or "" for seg in version.iter("seg")}
    _need(list(by_id) and set(by_id) == set(ids))
    return [by_id[id] for id in ids]


def _lines(path: Path) -> list[str]:
    lines = _text(path).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def text(folder: Path, output: str) -> bool:
    """A manifest with a file for each side."""
    table = tomllib.loads(_text(folder / "set" / "testset.toml"))
    _need(len(table["references"]) == 1 and "collection" not in table)
    (reference,) = table["references"].values()
    systems = {name: _lines(folder / "set" / file) for name, file in table["systems"].items()}
    return _judged(output, _lines(folder / "set" / reference), systems)


def loose(folder: Path, output: str) -> bool:
    """A source, a reference, an output and documents, named one by one."""
    systems = {"steady": _lines(folder / "systems" / "steady.txt")}
    return _judged(output, _lines(folder / "reference.ref.txt"), systems)


def mtme(folder: Path, output: str) -> bool:
    """mt-metrics-eval's folders."""
    systems = {
        path.stem: _lines(path)
        for path in (folder / "set" / "system-outputs" / "cs-en").glob("*.txt")
    }
    return _judged(output, _lines(folder / "set" / "references" / "cs-en.ref.txt"), systems)


def sgm(folder: Path, output: str) -> bool:
    """SGM by regular expressions, as sacrebleu takes it apart."""
    table = tomllib.loads(_text(folder / "set" / "testset.toml"))
    _need(len(table["references"]) == 1)
    (reference,) = table["references"].values()
    systems = {name: _sgm(folder / "set" / file) for name, file in table["systems"].items()}
    return _judged(output, _sgm(folder / "set" / reference), systems)


def _sgm(path: Path) -> list[str]:
    text = _text(path)
    _need("<!--" not in text and "&#" not in text and "\r" not in text)
    segments = re.findall(r"<seg [^>]*>(.*?)</seg>", text, re.S)
    _need(len(segments) == text.lower().count("<seg") == text.lower().count("</seg>"))
    _need(not any("<" in segment for segment in segments))
    entities = set(re.findall(r"&\w+;", text))
    _need(entities <= {"&amp;", "&lt;", "&gt;", "&quot;"})
    return [unescape(re.sub(r"\s*\n\s*", " ", segment.strip())) for segment in segments]


def wmt_jsonl(folder: Path, output: str) -> bool:
    """Whole documents as JSON lines, where nothing but paragraphs in tags is in them."""
    sources = [json.loads(line) for line in _lines(folder / "source.jsonl")]
    outputs = [json.loads(line) for line in _lines(folder / "steady.jsonl")]
    _need([row["doc_id"] for row in sources] == [row["doc_id"] for row in outputs])
    _need(
        all(
            re.fullmatch("WMT99_###_news_###_ces_Latn_###_eng_Latn_###_[^_]+", row["doc_id"])
            for row in sources
        )
    )
    _need(all(list(row["refs"]) == ["A"] for row in sources))
    counts = [len(_paragraphs(row["src_text"])) for row in sources]
    reference = [_paragraphs(row["refs"]["A"]["ref"]) for row in sources]
    system = [_paragraphs(row["hypothesis"]) for row in outputs]
    _need(counts == list(map(len, reference)) == list(map(len, system)))
    return _judged(output, list(chain(*reference)), {"steady": list(chain(*system))})


def segmented(folder: Path, output: str) -> bool:
    """Whole documents and their cuts: put together in their order, these are the text again."""
    handed_in = {}
    for row in (json.loads(line) for line in _lines(folder / "whole.jsonl")):
        _need("<" not in row["hypothesis"])
        handed_in[row["doc_id"]] = "".join(row["hypothesis"].split())
    pieces: dict[str, list[tuple[list[int], str]]] = {}
    for row in map(json.loads, output.splitlines()):
        _need(row["handed_in"] is not None)
        pieces.setdefault(row["document"], []).append((row["handed_in"], row["output"]))
    for id, found in pieces.items():
        if "".join("".join(text.split()) for _, text in sorted(found)) != handed_in[id]:
            raise WrongScoreError(f"the segments of {id!r} are not its text")
    return True


def _paragraphs(text: str) -> list[str]:
    *lines, last = text.split("\n")
    _need(not last and all(line[:3] == "<p>" and line[-4:] == "</p>" for line in lines))
    found = [line[3:-4] for line in lines]
    _need(not any("<" in each or "\r" in each or not each.strip() for each in found))
    return [" ".join(each.split()) for each in found]


folders: dict[str, Callable[[Path, str], bool]] = {"text": text, "sgm": sgm, "mtme": mtme}


def scores(folder: Path, output: str) -> bool:
    """A score file: BLEU recomputed by sacrebleu from the statistics of the segments."""
    told = json.loads(output)
    _, *lines = [json.loads(line) for line in _text(folder / "scores.jsonl").split("\n") if line]
    sums: dict[str, list[float]] = {}
    for record in lines:
        if record["metric"] == "bleu" and "document" in record:
            known = sums.setdefault(record["system"], [0.0] * len(record["statistics"]))
            for row in record["segment_statistics"]:
                for at, value in enumerate(row or ()):
                    known[at] += value
    for standing in told["standings"]:
        if standing["metric"] == "bleu":
            counts = [int(value) for value in sums[standing["system"]]]
            expected = BLEU()._compute_score_from_stats(counts).score
            if abs(standing["score"] - expected) > 1e-6:
                raise WrongScoreError(f"{standing['system']}: {standing['score']}, {expected}")
    return True
