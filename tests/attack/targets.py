"""What is attacked: every reader through a command that reads, with files that we made ourselves.

Where the real data sets are at hand, the beginnings of some of their files join them.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from attack import oracles
from isogloss.annotate import Campaign, Store, write_campaign
from isogloss.annotate.items import texts_of
from isogloss.annotate.launch import opened
from isogloss.annotate.storage.database import open_database
from isogloss.annotate.storage.schema import Submission
from isogloss.documents import Collection, Segments
from isogloss.evaluation import evaluate
from isogloss.formats import mqm, read_collection, read_text, write_collection, write_scores
from isogloss.judgements import GOOGLE_MQM, ErrorMark, Judgement, Judgements, scored_by_errors
from isogloss.metrics import PartWeights, write_weights
from isogloss.metrics.consistency import Chain, ChainItem, write_chains
from isogloss.model import ModelCard, ScoreCache, write_card
from isogloss.model.pairs import PairOutcome
from isogloss.sample import sample_path
from isogloss.spans import Span, output_side

KINDS = {
    ".jsonl": "json", ".json": "json", ".xml": "xml", ".sgm": "sgm", ".toml": "toml", ".tsv": "tsv",
    ".score": "tsv", ".db": "sqlite", ".sqlite": "sqlite", ".docs": "tsv", ".txt": "text", ".yaml": "text",
    ".xliff": "xml", ".tmx": "xml", ".srt": "text", ".csv": "text",
}  # fmt: skip
SCORE = ("-m", "bleu", "-q", "-o", "json", "--resamples", "20")

_RESAMPLING = (
    ("--resamples", "0"), ("--resamples", "-1"), ("--resamples", "x"), ("--resamples", "1"),
    ("--confidence", "nan"), ("--confidence", "0"), ("--confidence", "1"), ("--confidence", "1e999"),
    ("--alpha", "-1"), ("--seed", "-1"), ("--seed", "9" * 30), ("--seed", "9" * 5000), ("--blocks", "x"),
    ("--blocks", "segments"), ("--test", "randomisation"),
)  # fmt: skip
_TESTSET = (
    ("--pair", "xx-yy"), ("--pair", ""), ("--format", "tsv"), ("--format", "sgm"), ("--format", "esa"),
    ("--format", "\x00"), ("--column", "source=x"), ("--column", "x"), ("--column", "="), ("--from", ""),
    ("--from", "zh"), ("--to", "ja"), ("--to", "x" * 5000), ("--allow-missing",), ("-s", "nowhere"),
    ("-t", "a=b=c"), ("-r", "."), ("-d", "/dev/null"), ("-t", "/dev/zero"),
)  # fmt: skip
ODD_OPTIONS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "evaluate": (
        *_RESAMPLING, *_TESTSET, ("-m", "bleu(x=1)"), ("-m", "bleu("), ("-m", ""), ("-m", "chrf(word_order=-1)"),
        ("-m", "chrf(char_order=9999999999999)"), ("-m", "hybrid(a=bleu,b=chrf,wa=nan)"), ("-m", "x" * 5000),
        ("-m", "bleu(smooth_value=1e999)"), ("--use-system", "nobody"), ("--use-reference", "nobody"),
        ("--level", "segment"), ("--level", "document"), ("--jobs", "0"), ("--save", "."), ("--save", "/dev/full"),
        ("--save", "n" * 300), ("--report", "/nowhere/x"), ("--save", "out.jsonl.zst"),
    ),
    "segment": (
        *_TESTSET, ("--realign",), ("--sentences",), ("-o", "text"), ("-o", "table"), ("--save", "/dev/full"),
        ("--save", "."), ("--use-system", "nobody"), ("--blank-lines",), ("--cache", "/dev/null"), ("--no-cache",),
    ),
    "compare": (*_RESAMPLING, ("-m", "nothing"), ("scores.jsonl",), ("/dev/null",), ("-m", "bleu(")),
    "report": (*_RESAMPLING, ("--human", "x"), ("--plots", "/dev/null"), ("--out", "/dev/full")),
    "stability": (("--sizes", "0"), ("--sizes", "a,b"), ("--sizes", "9" * 30), ("--draws", "0"), ("--plot", "x.y")),
    "metaeval": (
        ("--task", "nothing"), ("--task", "/dev/null"), ("--draws", "-1"), ("--resamples", "-1"), ("--documents", "own"),
        ("--ceiling",), ("--by-segment",), ("--without-outliers",), ("--with-references",), ("--alpha", "nan"),
        ("--human", "nothing"), ("--scores", "."), ("--segment-means",), ("--seed", "-5"),
    ),
    "convert": (*_TESTSET, ("--into", "nothing"), ("--into", "mqm"), ("--into", "mtme"), ("--into", "sgm")),
    "align": (("--show", "0"), ("--show", "99999"), ("--symmetrise", "x"), ("--aligner", "x"), ("--of", "nobody")),
    "tune": (("--folds", "0"), ("--folds", "9999"), ("--repeats", "-1"), ("--signed",), ("--level", "document")),
    "difference": (("--level", "system"), ("--level", "document"), ("--human", "x")),
}  # fmt: skip

Oracle = Callable[[Path, str], bool]


@dataclass(frozen=True)
class Target:
    """A command with the files it reads; one of `damaged` is damaged in each case."""

    name: str
    folder: Path
    arguments: tuple[str, ...]
    damaged: tuple[str, ...]
    oracle: Oracle | None = None
    weight: int = 10
    may_fail: tuple[int, ...] = (2, 3)  # 3: a result, but one metric could not score
    kinds: Mapping[str, str] = field(default_factory=dict)

    def kind(self, file: str) -> str:
        return KINDS.get(Path(file).suffix, "text")


def made_targets(folder: Path) -> list[Target]:
    """Targets whose files we make, in folders of their own below this one."""
    collection = read_collection(sample_path("cs-en"))
    ids = [document.id for document in collection.testset.documents[:3]]
    small = collection.with_documents(ids).with_systems(collection.system_names[:2])
    made = _Made(folder, small)
    return [*made.testsets(), *made.scores(), *made.judged(), *made.chains(), *made.others()]


class _Made:
    def __init__(self, folder: Path, collection: Collection) -> None:
        self.root, self.collection = folder, collection
        self.testset = collection.testset

    def _folder(self, name: str) -> Path:
        folder = self.root / name
        folder.mkdir(parents=True)
        return folder

    def testsets(self) -> Iterator[Target]:
        for suffix, form, oracle in (
            ("jsonl", "jsonl", oracles.jsonl),
            ("tsv", "tsv", oracles.tsv),
            ("xml", "wmt-xml", oracles.xml),
        ):
            folder, name = self._folder(suffix), f"set.{suffix}"
            write_collection(self.collection, folder / name, form)
            yield Target(suffix, folder, ("evaluate", name, *SCORE), (name,), oracle, 20)
            convert = ("convert", name, "out.jsonl", "--into", "jsonl")
            yield Target(f"{suffix}-convert", folder, convert, (name,))
            yield Target(
                f"{suffix}-list", folder, ("stability", name, "-m", "chrf", "-q"), (name,), weight=1
            )
        for form in ("text", "sgm", "mtme"):
            folder = self._folder(form)
            write_collection(self.collection, folder / "set", form)
            files = tuple(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
            oracle = oracles.folders[form]
            yield Target(form, folder, ("evaluate", "set", *SCORE), files, oracle, 20)
        yield self._loose()
        yield self._tables()
        yield self._whole_documents()
        yield self._unsplit()
        yield from self._localised()
        yield from self._by_document()

    def _loose(self) -> Target:
        files = ("source.txt", "reference.ref.txt", "systems/steady.txt", "documents.tsv")
        options = zip(("-s", "-r", "-t", "-d"), files, strict=True)
        given = [word for pair in options for word in pair]
        folder = self.root / "text" / "set"
        arguments = ("evaluate", *given, "--from", "cs", "--to", "en", *SCORE)
        return Target("loose", folder, arguments, files, oracles.loose, 20)

    def _whole_documents(self) -> Target:
        folder = self._folder("wmt-jsonl")
        prefix = "WMT99_###_news_###_ces_Latn_###_eng_Latn_###_"
        sources, outputs = [], []
        for document in self.testset.documents:
            id = prefix + document.id
            texts = document.source, document.references["ref"], self._output(document.id)
            source, reference, output = ("".join(f"<p>{s}</p>\n" for s in text) for text in texts)
            sources.append({"doc_id": id, "src_text": source, "refs": {"A": {"ref": reference}}})
            outputs.append({"doc_id": id, "hypothesis": output})
        for name, rows in (("source", sources), ("steady", outputs)):
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        files = ("source.jsonl", "steady.jsonl")
        arguments = ("evaluate", "-s", files[0], "-t", files[1], *SCORE)
        return Target("wmt-jsonl", folder, arguments, files, oracles.wmt_jsonl, 20)

    def _unsplit(self) -> Target:
        """Documents handed in as one text, to be cut."""
        folder = self._folder("segment")
        sources, outputs = [], []
        for document in self.testset.documents:
            told = {"src_lang": "cs", "tgt_lang": "en"}
            sources.append({"doc_id": document.id, "src_text": "\n".join(document.source), **told})
            text = " ".join(map(str, self._output(document.id)))
            outputs.append({"doc_id": document.id, "hypothesis": text})
        for name, rows in (("source", sources), ("whole", outputs)):
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        files = ("source.jsonl", "whole.jsonl")
        arguments = ("segment", "-s", files[0], "-t", files[1], "-q", "-o", "jsonl")
        return Target("segment", folder, arguments, files, oracles.segmented)

    def _localised(self) -> Iterator[Target]:
        """XLIFF, TMX and subtitles: the first document with what a system made of it."""
        document = self.testset.documents[0]
        pairs = [
            (escape(source), escape(str(text)))
            for source, text in zip(document.source, self._output(document.id), strict=True)
        ]
        units = "".join(
            f"<trans-unit><source>{s}</source><target><g>{t}</g></target></trans-unit>\n"
            for s, t in pairs
        )
        tus = "".join(
            f'<tu><tuv xml:lang="cs"><seg>{s}</seg></tuv><tuv xml:lang="en"><seg>{t}</seg></tuv></tu>\n'
            for s, t in pairs
        )
        ours, theirs = (
            "".join(
                f"{n}\n00:{n:02}:00,000 --> 00:{n:02}:09,000\n{line}\n\n"
                for n, line in enumerate(lines)
            )
            for lines in zip(*pairs, strict=True)
        )
        languages = 'source-language="cs" target-language="en"'
        folder = self._folder("localised")
        for name, text in {
            "job.xliff": f'<xliff version="1.2"><file original="a" {languages}><body>\n{units}</body></file></xliff>',
            "job.tmx": f'<tmx version="1.4"><header srclang="cs"/><body>\n{tus}</body></tmx>',
            "job.srt": theirs,
        }.items():
            (folder / name).write_text(text, encoding="utf-8")
            arguments = ("evaluate", "-r", name, "-t", name, *SCORE)
            yield Target(name, folder, arguments, (name,))
        (folder / "source.srt").write_text(ours, encoding="utf-8")
        sides = ("-s", "source.srt", "-t", "job.srt", "--from", "cs", "--to", "en")
        yield Target("segment-subtitles", folder, ("segment", *sides, "-q"), ("job.srt",))

    def _by_document(self) -> Iterator[Target]:
        """A file, a row or a paragraph for each document."""
        folder = self._folder("documents")
        (folder / "source").mkdir()
        (folder / "steady").mkdir()
        rows = []
        for document in self.testset.documents:
            texts = "\n".join(document.source), "\n".join(map(str, self._output(document.id)))
            for name, text in zip(("source", "steady"), texts, strict=True):
                (folder / name / f"{document.id}.txt").write_text(text + "\n", encoding="utf-8")
            rows.append(
                {"doc": document.id, "source": texts[0], "reference": texts[1], "mt": texts[1]}
            )
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / "rows.jsonl").write_text(lines, encoding="utf-8")
        blank = "\n\n".join(row["source"] for row in rows)
        (folder / "blank.txt").write_text(blank + "\n", encoding="utf-8")
        file = f"steady/{self.testset.documents[0].id}.txt"
        sides = ("evaluate", "-s", "source", "-r", "steady", "-t", "steady", *SCORE)
        yield Target("folder", folder, sides, (file,))
        yield Target("document-rows", folder, ("evaluate", "rows.jsonl", *SCORE), ("rows.jsonl",))
        lines_between = ("evaluate", "-r", "blank.txt", "-t", "blank.txt", "--blank-lines", *SCORE)
        yield Target("blank-lines", folder, lines_between, ("blank.txt",), weight=4)

    def _output(self, document: str) -> Segments:
        return self.collection.outputs[0].documents[document]

    def _tables(self) -> Target:
        folder = self._folder("tables/wmt99/cs-en")
        segs, hyps, people = ["domain\tdoc\tsrc\tref:A"], ["steady\tshifting"], ["steady\tshifting"]
        for document in self.testset.documents:
            for at, source in enumerate(document.source):
                reference = document.references["ref"][at]
                segs.append(f"news\t{document.id}\t{source}\t{reference}")
                hyps.append(
                    "\t".join(str(o.documents[document.id][at]) for o in self.collection.outputs)
                )
                people.append(f"{at}\t{at / 2}")
        for name, lines in {
            "segs": segs,
            "hyps": hyps,
            "human.mqm": people,
            "metric.X-refA": people,
        }.items():
            (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        where = "wmt99/cs-en"
        files = tuple(
            f"{where}/{name}.tsv" for name in ("segs", "hyps", "human.mqm", "metric.X-refA")
        )
        arguments = (
            "metaeval",
            where,
            "--human",
            "mqm",
            "--stored",
            "-q",
            "-o",
            "json",
            "--draws",
            "20",
        )
        return Target("tables", self.root / "tables", arguments, files)

    def scores(self) -> Iterator[Target]:
        folder = self._folder("scores")
        write_scores(evaluate(self.collection, ["bleu", "chrf"]), folder / "scores.jsonl")
        write_collection(self.collection, folder / "set.jsonl", "jsonl")
        file, few = ("scores.jsonl",), ("--resamples", "20")
        yield Target(
            "compare", folder, ("compare", *file, "-o", "json", *few), file, oracles.scores, 20
        )
        yield Target("report-md", folder, ("report", *file, "--format", "md", *few), file)
        page = ("report", *file, "--testset", "set.jsonl", "--out", "out.html", *few)
        yield Target("report", folder, page, (*file, "set.jsonl"), weight=4)
        yield Target("stability", folder, ("stability", *file, "--draws", "20", "-o", "tsv"), file)
        weights = self._folder("hybrid")
        write_collection(self.collection, weights / "set.jsonl", "jsonl")
        parts = [PartWeights("bleu", 0.5, 30.0, 10.0), PartWeights("chrf", 0.5, 60.0, 9.0)]
        write_weights(weights / "w.json", parts)
        command = ("evaluate", "set.jsonl", "-m", "hybrid(weights=w.json)", "-q", "-o", "json")
        yield Target("hybrid", weights, (*command, "--resamples", "20"), ("w.json",))

    def judged(self) -> Iterator[Target]:
        folder = self._folder("judged")
        write_collection(self.collection, folder / "set.jsonl", "jsonl")
        mqm.write(self._judgements(), self.collection, folder / "mqm.tsv")
        self._write_esa(folder / "esa.jsonl")
        self._write_stored(folder)
        (folder / "task.toml").write_text(
            '[[statistics]]\nlevel = "segment"\nname = "pearson"\nweight = 2\n'
            '[[statistics]]\nlevel = "system"\nname = "pairwise-accuracy"\n'
        )
        scores = (("x.tsv",), ("X-ref.seg.score",))
        self._write_answers(folder / "answers.jsonl", folder / "said.tsv")
        for file in ("mqm.tsv", "esa.jsonl", "answers.jsonl", "said.tsv"):
            arguments = (
                "metaeval",
                "set.jsonl",
                "--human",
                file,
                "--scores",
                "x.tsv",
                "-q",
                "-o",
                "json",
            )
            yield Target(f"metaeval-{file}", folder, (*arguments, "--draws", "20"), (file,))
        self._write_appraise(folder / "appraise.csv")
        appraise = (
            "metaeval",
            "set.jsonl",
            "--human",
            "appraise.csv:da",
            "--scores",
            "x.tsv",
            "-q",
        )
        yield Target(
            "metaeval-appraise.csv", folder, (*appraise, "--draws", "20"), ("appraise.csv",)
        )
        for (file,) in scores:
            arguments = (
                "metaeval",
                "set.jsonl",
                "--human",
                "mqm.tsv",
                "--scores",
                file,
                "-q",
                "-o",
                "tsv",
            )
            yield Target(f"metaeval-{file}", folder, (*arguments, "--draws", "20"), (file,))
        task = (
            "metaeval",
            "set.jsonl",
            "--human",
            "mqm.tsv",
            "--scores",
            "x.tsv",
            "--task",
            "task.toml",
            "-q",
        )
        yield Target("task", folder, task, ("task.toml",))
        difference = (
            "difference",
            "x",
            "1",
            "set.jsonl",
            "--human",
            "mqm.tsv",
            "--scores",
            "x.tsv",
        )
        yield Target("difference", folder, difference, ("x.tsv", "mqm.tsv"), weight=4)
        tune = ("tune", "set.jsonl", "-m", "bleu,chrf", "--human", "mqm.tsv", "-q", "-l", "segment")
        tune += (
            "--folds",
            "2",
            "--repeats",
            "1",
            "--resamples",
            "20",
            "--save",
            "out.json",
            "-o",
            "json",
        )
        yield Target("tune", folder, tune, ("mqm.tsv", "set.jsonl"), weight=1)

    def _judgements(self) -> Judgements:
        items = []
        for output in self.collection.outputs:
            for document in self.testset.documents:
                for at in range(len(document)):
                    span = Span(document.id, output_side(output.name), at, 0, 1 + at % 3)
                    severity = ("minor", "major")[at % 2]
                    marks = (ErrorMark("accuracy/mistranslation", severity, span, "why"),) * (
                        at % 3
                    )
                    items.append(Judgement(output.name, document.id, at, "ann", None, marks))
        return Judgements(mqm.KIND, scored_by_errors(items, GOOGLE_MQM))

    def _write_esa(self, path: Path) -> None:
        records, line = [], 0
        for document in self.testset.documents:
            for at, source in enumerate(document.source):
                for output in self.collection.outputs:
                    record = {"doc_id": document.id, "line_id": line, "src": source}
                    record |= {"tgt": output.documents[document.id][at], "system": output.name}
                    spans = [{"start_i": 0, "end_i": 2, "severity": "minor"}] * (at % 2)
                    record |= {"annotator": "ann", "esa_score": 50 + at, "esa_spans": spans}
                    records.append(record)
                line += 1
        path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")

    def _write_appraise(self, path: Path) -> None:
        lines = ["username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore"]
        for output in self.collection.outputs:
            for document in self.testset.documents:
                passage = f"{document.id}#1-{len(document)}"
                lines += (
                    f"ann,{output.name},{at},TGT,ces,eng,{50 + at},{passage},False"
                    for at in range(len(document))
                )
                lines.append(f"ann,{output.name},{len(document)},TGT,ces,eng,60,{passage},True")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _write_answers(self, answers: Path, scores: Path) -> None:
        """What a campaign of error spans exports."""
        records, rows = [], ["annotator\tsystem\tdoc\tsegment\tkind\tscore"]
        for document in self.testset.documents:
            for at, source in enumerate(document.source):
                for output in self.collection.outputs:
                    place = {"document": document.id, "number": at, "system": output.name}
                    marks = [{"start": 0, "end": 2, "severity": "minor"}] * (at % 2)
                    value = {"score": 50 + at, "errors": marks}
                    record = {"annotator": "ann", "kind": "spans", **place, "markable": None}
                    record |= {"segment": at, "place": None, "at": 1, "check": None}
                    record |= {"value": value, "decision": value if at % 3 == 0 else None}
                    target = output.documents[document.id][at]
                    records.append(record | {"source": source, "target": target})
                    rows.append(f"ann\t{output.name}\t{document.id}\t{at}\tspans\t{50 + at}")
        answers.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        scores.write_text("\n".join(rows) + "\n", encoding="utf-8")

    def _write_stored(self, folder: Path) -> None:
        rows, stored = ["system\tdoc\tsegment\tx"], []
        for output in self.collection.outputs:
            for document in self.testset.documents:
                for at in range(len(document)):
                    rows.append(f"{output.name}\t{document.id}\t{at + 1}\t{at * 1.5}")
                    stored.append(f"{output.name}\t{at * 0.5}")
        (folder / "x.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        (folder / "X-ref.seg.score").write_text("\n".join(stored) + "\n", encoding="utf-8")

    def chains(self) -> Iterator[Target]:
        folder = self._folder("chains")
        write_collection(self.collection, folder / "set.jsonl", "jsonl")
        document = self.testset.documents[0]
        places = tuple(ChainItem(at, 0, 0, 3, ((0, 2),)) for at in range(3))
        found = [Chain(f"{document.id}:{n}", document.id, f"w{n}", "x", places) for n in range(4)]
        write_chains(folder / "chains.jsonl", found)
        for name in ("ann", "bob"):
            said = [
                {"chain": c.id, "flexible": [0], "annotator": name, "time": "2024-05-01"}
                for c in found
            ]
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(s) + "\n" for s in said))
        (folder / "links.txt").write_text("0-0 1-1:0.5\n" * self.testset.segment_count)
        agree = ("chains", "agree", "chains.jsonl", "ann.jsonl", "bob.jsonl", "-o", "json")
        files = ("chains.jsonl", "ann.jsonl", "bob.jsonl")
        yield Target("agree", folder, agree, files)
        yield Target(
            "stats",
            folder,
            ("chains", "stats", "chains.jsonl", "--answers", "ann.jsonl"),
            files[:2],
        )
        align = (
            "align",
            "set.jsonl",
            "--of",
            "steady",
            "--aligner",
            "file",
            "--links",
            "links.txt",
            "-q",
        )
        yield Target("links", folder, align, ("links.txt",))
        release = ("chains", "release", "chains.jsonl", "set.jsonl", "out")
        yield Target("release", folder, release, ("chains.jsonl", "set.jsonl"), weight=4)
        released = self._folder("released")
        for name, text in {
            "res/1.txt": "/w/0/0 /w/1/0 : x\n",
            "zh2en_token/1.txt": "w a ||| x b\nw c ||| x d\n",
            "zh2en_raw/1.txt": "wa ||| xb\nwc ||| xd\n",
        }.items():
            (released / "set" / name).parent.mkdir(parents=True, exist_ok=True)
            (released / "set" / name).write_text(text)
        three = tuple(f"set/{name}/1.txt" for name in ("res", "zh2en_token", "zh2en_raw"))
        yield Target("released", released, ("chains", "stats", "set", "-o", "json"), three)
        yield Target("import", released, ("chains", "import", "set", "out"), three)

    def others(self) -> Iterator[Target]:
        yield self._model()
        cache = self._folder("cache")
        kept = ScoreCache(cache)
        kept.put(
            {bytes([n]) * 32: PairOutcome((1.0, n)) for n in range(50)}, digest="a", name="tiny"
        )
        kept.close()
        yield Target(
            "cache", cache, ("model", "cache", "--cache", ".", "-o", "json"), ("scores.sqlite",)
        )
        words = self._folder("words")
        write_collection(self.collection, words / "set.jsonl", "jsonl")
        consistency = (
            "consistency",
            "set.jsonl",
            "--aligner",
            "hmm",
            "--no-cache",
            "-q",
            "-o",
            "json",
        )
        yield Target("words", words, (*consistency, "--resamples", "20"), ("set.jsonl",), weight=1)
        propose = ("markables", "propose", "set.jsonl", "--aligner", "hmm", "-o", "json")
        yield Target("propose", words, propose, ("set.jsonl",), weight=1)
        terms = self._folder("terms")
        write_collection(self.collection, terms / "set.jsonl", "jsonl")
        (terms / "terms.txt").write_text("nájemce\tnájemci\nbyt\n", encoding="utf-8")
        check = (
            "markables",
            "check",
            "set.jsonl",
            "--terms",
            "terms.txt",
            "-o",
            "jsonl",
            "--aligner",
            "hmm",
        )
        yield Target("terms", terms, check, ("terms.txt",), weight=1)
        yield from self._campaign()

    def _model(self) -> Target:
        folder = self._folder("model")
        (folder / "model").mkdir()
        for name in ("model.bin", "sentencepiece.model"):
            (folder / "model" / name).write_bytes(b"x" * 100)
        for name in ("config.json", "shared_vocabulary.json"):
            (folder / "model" / name).write_text('{"a": ["b"]}')
        card = ModelCard("tiny", ("en", "de"), "prefix", "int8", 100, 100, "MIT", card={"a": 1})
        write_card(folder / "model", card)
        files = ("model/paraphraser.toml",)
        return Target("model", folder, ("model", "info", "model"), files)

    def _campaign(self) -> Iterator[Target]:
        folder = self._folder("campaign")
        plan = Campaign("c", "set.jsonl", ("ann", "bob"), ("phase1", "da", "spans"), redundancy=2)
        write_campaign(plan, folder)
        store = Store(open_database(folder / "campaign.db"))
        opened(plan, texts_of(self.collection, plan), "Be kind.", store)
        values = {
            "da": {"score": 50.0},
            "spans": {
                "score": 60.0,
                "errors": [
                    {"start": 0, "end": 2, "category": None, "severity": "minor", "note": ""}
                ],
            },
            "phase1": {"fluency": 0.5, "adequacy": 0.5, "conflicting": False, "reported": ""},
        }
        for task in store.tasks_of():
            for item in task.content["items"]:
                given = Submission(f"{task.id}-{item}", task.id, item, 0, values[task.kind], 1)
                store.save(task.actor, [given])
        store.database.close()
        for left in folder.glob("campaign.db-*"):
            left.unlink()
        both = ("campaign.db", "campaign.toml")
        yield Target(
            "campaign-agreement", folder, ("annotate", "agreement", ".", "-o", "json"), both
        )
        yield Target("campaign-verify", folder, ("annotate", "verify", "."), both, may_fail=(1, 2))
        yield Target(
            "campaign-backup", folder, ("annotate", "backup", ".", "out.db"), both, weight=4
        )
        for what in ("answers.jsonl", "events.jsonl", "study.jsonl", "esa.jsonl", "scores.tsv"):
            export = ("annotate", "export", ".", what)
            yield Target(f"campaign-{what}", folder, export, both, weight=4)


def real_targets(folder: Path, data: Path) -> list[Target]:
    """Targets whose files are the beginnings of real ones."""
    targets = []
    wmt = data / "wmt" / "wmt23" / "en-de"
    if wmt.is_dir():
        place = folder / "real-wmt" / "wmt23" / "en-de"
        place.mkdir(parents=True)
        for stem in ("segs", "hyps", "human.mqm", "metric.BLEU-refA"):
            lines = read_text(wmt / f"{stem}.tsv.xz").split("\n")[:25]
            (place / f"{stem}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        files = tuple(f"wmt23/en-de/{path.name}" for path in place.iterdir())
        root = folder / "real-wmt"
        arguments = (
            "metaeval",
            "wmt23/en-de",
            "--human",
            "mqm",
            "--stored",
            "-q",
            "-o",
            "json",
            "--draws",
            "20",
        )
        targets.append(Target("real-tables", root, arguments, files))
        scored = ("evaluate", "wmt23/en-de", *SCORE, "--use-system", "GPT4-5shot")
        targets.append(Target("real-evaluate", root, scored, files[:2] + files[:0]))
    if (data / "ltcr").is_dir():
        place = folder / "real-ltcr"
        names = sorted(path.name for path in (data / "ltcr" / "res").glob("*.txt"))[:2]
        for part in ("res", "zh2en_raw", "zh2en_token"):
            (place / "ltcr" / part).mkdir(parents=True)
            for name in names:
                shutil.copyfile(data / "ltcr" / part / name, place / "ltcr" / part / name)
        files = tuple(f"ltcr/{part}/{names[0]}" for part in ("res", "zh2en_raw", "zh2en_token"))
        targets.append(Target("real-ltcr", place, ("chains", "import", "ltcr", "out"), files))
    if (data / "meteor-example").is_dir():
        place = folder / "real-sgm"
        place.mkdir()
        for name in ("ref", "test"):
            text = read_text(data / "meteor-example" / f"{name}.sgm")
            whole = text[: text.index("</doc>")].split("\n")[:40]
            (place / f"{name}.sgm").write_text(
                "\n".join([*whole, "</doc>", "</tstset>"]), encoding="utf-8"
            )
        arguments = ("align", "ref.sgm", "test.sgm", "--aligner", "hmm", "-q")
        targets.append(Target("real-sgm", place, arguments, ("ref.sgm", "test.sgm"), weight=4))
    study = data / "elitr-wmt20"
    if study.is_dir():
        place = folder / "real-study"
        shutil.copytree(study / "processing", place / "study" / "processing")
        shutil.copytree(study / "collected_data", place / "study" / "collected_data")
        files = ("processing/experiment.yaml", "processing/line_mapping.json")
        files += tuple(
            f"collected_data/{p.parent.name}/{p.name}"
            for p in (study / "collected_data").glob("p*/*0.json")
        )
        arguments = ("markables", "analyse", "study", "--tables", "2", "-o", "json")
        targets.append(
            Target("real-study", place, arguments, tuple(f"study/{f}" for f in files), weight=1)
        )
    return targets
