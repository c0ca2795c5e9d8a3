"""Adapters against the packages that they run, with small models made here."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import InputError, NotApplicableError
from isogloss.metrics import interpreters, load_metric, set_interpreter
from isogloss.metrics.outside.interpreters import interpreter
from isogloss.model import ScoreCache
from isogloss.runtime import Runtime
from isogloss.signature import MetricName

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

OTHER_METRICS = Path(sys.prefix) / "other-metrics" / "bin" / "python"  # of .ci/other-metrics
WORDS = "the a rent tenant contract house owner must pay in of to is and . , ##s ##e ##t ##a ##n"
LONG = "The tenant must pay the rent of the house to the owner . " * 30


def other_python(name: str, package: str) -> str:
    """The interpreter of an adapter's environment, or a skip that says how to make one."""
    variable = f"ISOGLOSS_TEST_{name.upper()}_PYTHON"
    python = Path(os.environ.get(variable, OTHER_METRICS))
    if not python.exists():
        pytest.skip(
            f"no environment with {package}: .ci/other-metrics makes one, or name its interpreter "
            f"in {variable}"
        )
    return str(python)


def write_bert(folder: Path, positions: int = 256) -> None:
    """A BERT of a few thousand numbers, with its tokeniser."""
    folder.mkdir(parents=True)
    letters = [chr(c) for c in range(33, 127)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    vocabulary = list(dict.fromkeys([*pieces, *WORDS.split()]))
    (folder / "vocab.txt").write_text("\n".join(vocabulary), "utf-8")
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary), hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=positions,
    )  # fmt: skip
    model = transformers.BertModel(config)
    model.save_pretrained(folder)
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "BertTokenizer", "model_max_length": positions})
    )


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that wait for each other take most of the time where models are this small."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    write_bert(folder)
    return folder


@pytest.fixture(scope="module")
def collection() -> isogloss.Collection:
    sample = isogloss.load_sample("cs-en").with_systems(["steady", "tangled"])
    return sample.with_documents([d.id for d in sample.testset.documents[:3]])


def long_text() -> isogloss.Collection:
    other = LONG.replace("rent", "house")
    sources, references = [LONG, "A ."], [LONG, "The owner ."]
    return isogloss.from_texts(sources, references, {"a": [other, "The tenant ."]})


def sides(collection: isogloss.Collection) -> list[tuple[str, str, str]]:
    return [
        (d.source[i], text or "", d.references["ref"][i] or "")
        for output in collection.outputs
        for d in collection.testset.documents
        for i, text in enumerate(output.documents[d.id])
    ]


def found(table: isogloss.ScoreTable) -> list[float | None]:
    return [s for row in table.rows for d in row.documents for s in d.segment_scores]


def named(name: str, model: Path, python: str = sys.executable, **options: Any) -> Any:
    return load_metric(MetricName(name, {"model": str(model), "python": python, **options}))


# --- BERTScore, whose package lives beside ours ---------------------------------------------------


def test_bertscore_is_that_of_bert_score(collection: isogloss.Collection, bert: Path) -> None:
    bert_score = pytest.importorskip("bert_score", reason="bert-score is not installed")
    outputs, references = zip(*((o, r) for _, o, r in sides(collection)), strict=True)
    theirs = bert_score.score(outputs, references, str(bert), num_layers=2)
    table = isogloss.evaluate(collection, [named("bertscore", bert, layers=2, value="recall")])
    assert found(table) == pytest.approx(theirs[1].tolist(), abs=1e-5)
    signature = table.metrics[0].signature
    assert "bertscore(model=tiny-bert,layers=2,value=recall)|model:tiny-bert|digest:" in signature
    assert f"bert-score:{version('bert-score')}" in signature
    assert str(bert.parent) not in signature


def test_what_was_scored_once_is_not_scored_again(
    collection: isogloss.Collection, bert: Path, tmp_path: Path
) -> None:
    pytest.importorskip("bert_score", reason="bert-score is not installed")
    runtime = Runtime(cache=tmp_path)
    metric = named("bertscore", bert, layers=2)
    first = isogloss.evaluate(collection, [metric], runtime=runtime)
    (usage,) = ScoreCache(tmp_path).usage()
    assert (usage.name, usage.digest.partition(":")[0]) == ("bertscore tiny-bert", "bertscore")
    assert usage.entries == len(set(sides(collection)))
    # What is kept is made false, which shows where it is used.
    with closing(sqlite3.connect(tmp_path / "scores.sqlite")) as database, database:
        database.execute("UPDATE scores SET value = ?", (b'{"score": 0.5}',))
    again = isogloss.evaluate(collection, [metric], runtime=runtime)
    assert set(found(again)) == {0.5}
    assert again.metrics[0].signature == first.metrics[0].signature
    other = named("bertscore", bert, layers=2, value="recall")
    assert 0.5 not in found(isogloss.evaluate(collection, [other], runtime=runtime))
    assert ScoreCache(tmp_path).clear(usage.digest) == 2 * usage.entries
    assert found(isogloss.evaluate(collection, [metric], runtime=runtime)) == found(first)


def test_a_long_text_is_scored_in_parts_and_that_is_said(bert: Path) -> None:
    pytest.importorskip("bert_score", reason="bert-score is not installed")
    collection = long_text()
    table = isogloss.evaluate(collection, [named("bertscore", bert, layers=2)])
    assert None not in found(table)
    assert any("a long text was scored in parts in 1 segment of 'a'" in notice
               for notice in table.provenance.notices)  # fmt: skip
    refused = isogloss.evaluate(collection, [named("bertscore", bert, layers=2, long="error")])
    assert found(refused)[0] is None
    assert found(refused)[1] == pytest.approx(found(table)[1])
    assert any("longer than the model reads" in n for n in refused.provenance.notices)


def test_what_the_other_program_says_is_told(
    collection: isogloss.Collection, tmp_path: Path
) -> None:
    pytest.importorskip("bert_score", reason="bert-score is not installed")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"bertscore: ValueError: .*config"):
        isogloss.evaluate(collection, [named("bertscore", tmp_path / "empty")])
    with pytest.raises(InputError, match="cannot be run"):
        isogloss.evaluate(collection, [named("bertscore", tmp_path / "empty", "/no/python")])


ABOUT = '{"protocol": 1, "versions": {}, "digest": "d"}'


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        ("echo hello", "its runner answers b'hello.*is its interpreter a Python"),
        ("echo '[1]'", "which is no reply"),
        ("echo '{}'", "another protocol than 1"),
        ("echo 'no such thing' >&2; exit 3", "its runner ended: no such thing"),
        (f"echo '{ABOUT}'; read rows; kill -9 $$", r"its runner ended \(killed by signal 9\)"),
        (
            f"""echo '{ABOUT}'; read rows; echo '{{"answers": []}}'; cat""",
            r"did not answer \d+ rows",
        ),
        (f"""echo '{ABOUT}'; read rows; echo '{{"error": "no GPU"}}'; cat""", "bleurt: no GPU"),
    ],
)
def test_a_program_that_is_no_runner_or_dies_is_told(
    collection: isogloss.Collection, tmp_path: Path, answers: str, complaint: str
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\nread options\n{answers}\n")
    python.chmod(0o755)
    with pytest.raises(InputError, match=complaint):
        isogloss.evaluate(collection, [named("bleurt", tmp_path / "model", str(python))])


def test_an_interpreter_is_named_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, collection: isogloss.Collection
) -> None:
    monkeypatch.setenv("ISOGLOSS_ADAPTERS", str(tmp_path / "adapters.toml"))
    with pytest.raises(NotApplicableError, match="isogloss adapters set comet"):
        isogloss.evaluate(collection, "comet(model=some)")
    set_interpreter("comet", "/opt/comet/bin/python")
    set_interpreter("bleurt", "/opt/bleurt/bin/python")
    assert interpreter("comet") == "/opt/comet/bin/python"
    monkeypatch.setenv("ISOGLOSS_COMET_PYTHON", "/elsewhere/python")
    assert interpreters() == {"comet": "/elsewhere/python", "bleurt": "/opt/bleurt/bin/python"}
    with pytest.raises(InputError, match="no adapter 'prism'"):
        set_interpreter("prism", "python")


# --- MetricX --------------------------------------------------------------------------------------


def write_metricx(folder: Path) -> None:
    """An mT5 with the vocabulary of the real one, whose score is one of its last pieces."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = sorted({*WORDS.split(), "source:", "candidate:", "reference:", *"abcdefghij"})
    vocabulary = {w: i for i, w in enumerate(["<pad>", "</s>", "<unk>", *words])}
    tokeniser = Tokenizer(models.WordLevel(vocabulary, "<unk>"))
    tokeniser.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokeniser.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    special = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokeniser, **special).save_pretrained(
        folder
    )
    torch.manual_seed(2)
    config = transformers.MT5Config(
        vocab_size=250112, d_model=4, d_kv=2, d_ff=8, num_layers=1, num_heads=2,
        decoder_start_token_id=0,
    )  # fmt: skip
    model = transformers.MT5ForConditionalGeneration(config)
    model.lm_head.weight.data *= 10  # scores that are neither 0 nor 25
    model.save_pretrained(folder)


def test_metricx_is_the_first_step_of_its_decoder(tmp_path: Path) -> None:
    write_metricx(tmp_path / "tiny-metricx")
    collection = isogloss.from_texts(
        ["a b c", "d e", "f g h"],
        ["the rent", "the house", "a contract"],
        {"a": ["the tenant must pay", "a house", "the owner of a contract"]},
    )
    folder = tmp_path / "tiny-metricx"
    table = isogloss.evaluate(collection, [named("metricx", folder)])
    model = transformers.MT5ForConditionalGeneration.from_pretrained(folder).eval()
    tokeniser = transformers.AutoTokenizer.from_pretrained(folder)
    expected = []
    for source, output, reference in sides(collection):
        text = f"source: {source} candidate: {output} reference: {reference}"
        pieces = tokeniser(text, return_tensors="pt")["input_ids"][:, :-1]
        step = model.generate(
            pieces, max_new_tokens=1, output_logits=True, return_dict_in_generate=True
        )
        expected.append(min(max(float(step.logits[0][0, 250089]), 0.0), 25.0))
    assert found(table) == pytest.approx(expected, abs=1e-5)
    assert any(0 < value < 25 for value in expected)
    assert not table.metrics[0].higher_is_better


# --- COMET and BLEURT, in environments of their own -----------------------------------------------

MAKE_COMETS = """
import json, pathlib, sys, torch, yaml
from comet.models import ReferencelessRegression, RegressionMetric, UnifiedMetric, XCOMETMetric
bert, folder, samples = sys.argv[1:]
samples = json.loads(samples)
encoder = dict(encoder_model="BERT", pretrained_model=bert, hidden_sizes=[8],
               load_pretrained_weights=True, local_files_only=True)
made = {
    "comet": RegressionMetric(**encoder),
    "kiwi": UnifiedMetric(**encoder, sent_layer="mix", word_layer=2, input_segments=["mt", "src"]),
    "old-kiwi": ReferencelessRegression(**encoder),
    "xcomet": XCOMETMetric(**encoder, word_layer=2),
}
kinds = {"comet": "regression_metric", "kiwi": "unified_metric",
         "old-kiwi": "referenceless_regression_metric", "xcomet": "xcomet_metric"}
told = {}
for name, model in made.items():
    torch.manual_seed(3)
    if name == "xcomet":
        torch.nn.init.normal_(model.hidden2tag.weight)  # labels that change from word to word
    model.eval()
    path = pathlib.Path(folder, name, "checkpoints")
    path.mkdir(parents=True)
    hparams = dict(model.hparams)
    torch.save({"state_dict": model.state_dict(), "hyper_parameters": hparams,
                "pytorch-lightning_version": "2.0.0"}, path / "model.ckpt")
    hparams = {"class_identifier": kinds[name], **hparams}
    pathlib.Path(folder, name, "hparams.yaml").write_text(yaml.dump(hparams))
    for way in ("reference", "source") if name == "xcomet" else ("reference",):
        sides = ("src", "mt", "ref")[: 3 if way == "reference" else 2]
        rows = [{side: sample[side] for side in sides} for sample in samples]
        found = model.predict(rows, gpus=0, num_workers=0, progress_bar=False)
        spans = found["metadata"].get("error_spans") if name == "xcomet" else None
        told[name, way] = [[float(s) for s in found["scores"]], spans]
print(json.dumps({f"{name} {way}": each for (name, way), each in told.items()}, default=float))
"""


@dataclass(frozen=True)
class MadeComets:
    """Checkpoints of every kind that COMET knows, and what it says of the collection by itself."""

    python: str
    folder: Path
    told: dict[str, Any]

    def model(self, name: str, **options: Any) -> Any:
        path = self.folder / name / "checkpoints" / "model.ckpt"
        return named("comet", path, self.python, **options)


@pytest.fixture(scope="module")
def comets(collection: isogloss.Collection, tmp_path_factory: pytest.TempPathFactory) -> MadeComets:
    python = other_python("comet", "unbabel-comet")
    folder = tmp_path_factory.mktemp("comets")
    write_bert(folder / "bert", positions=512)
    samples = json.dumps([{"src": s, "mt": o, "ref": r} for s, o, r in sides(collection)])
    made = subprocess.run(
        [python, "-c", MAKE_COMETS, str(folder / "bert"), str(folder), samples],
        capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    return MadeComets(python, folder, json.loads(made.stdout.splitlines()[-1]))


def test_comet_is_that_of_unbabel_comet(
    collection: isogloss.Collection, comets: MadeComets
) -> None:
    table = isogloss.evaluate(collection, [comets.model("comet")])
    assert found(table) == pytest.approx(comets.told["comet reference"][0], abs=1e-5)
    assert "comet(model=comet)|model:comet|digest:" in table.metrics[0].signature
    assert "unbabel-comet:2" in table.metrics[0].signature
    in_parts = isogloss.evaluate(long_text(), [comets.model("comet")])
    assert None not in found(in_parts)
    with pytest.raises(InputError, match="needs references: leave out against=source"):
        isogloss.evaluate(collection, [comets.model("comet", against="source")])


@pytest.mark.parametrize("name", ["kiwi", "old-kiwi"])
def test_cometkiwi_reads_no_reference(
    collection: isogloss.Collection, comets: MadeComets, name: str
) -> None:
    documents = tuple(replace(d, references={}) for d in collection.testset.documents)
    bare = replace(collection, testset=replace(collection.testset, documents=documents))
    table = isogloss.evaluate(bare, [comets.model(name, against="source")])
    assert found(table) == pytest.approx(comets.told[f"{name} reference"][0], abs=1e-5)
    if name == "kiwi":
        with pytest.raises(InputError, match="reads no reference: add against=source"):
            isogloss.evaluate(collection, [comets.model(name)])


@pytest.mark.parametrize("against", ["reference", "source"])
def test_the_error_spans_of_xcomet_are_evidence(
    collection: isogloss.Collection, comets: MadeComets, against: str
) -> None:
    table = isogloss.evaluate(collection, [comets.model("xcomet", against=against)])
    expected, spans = comets.told[f"xcomet {against}"]
    assert found(table) == pytest.approx(expected, abs=1e-5)
    marked = {
        (d.document, s.segment, s.start, s.end, e.reason.partition(", ")[2])
        for row in table.rows
        if row.system == "steady"
        for d in row.documents
        for e in d.measurement.evidence
        for s in e.spans
    }
    places = [(d.id, i) for d in collection.testset.documents for i in range(len(d))]
    theirs = {
        (*place, span["start"], span["end"], span["severity"])
        for place, own in zip(places, spans, strict=False)  # the first system's come first
        for span in own
        if span["start"] < span["end"]
    }
    assert marked == theirs
    assert len(marked) > 5


MAKE_BLEURT = """
import json, sys, torch
from bleurt_pytorch import BleurtConfig, BleurtForSequenceClassification, BleurtTokenizer
vocabulary, folder, pairs = sys.argv[1:]
torch.manual_seed(4)
tokeniser = BleurtTokenizer(vocabulary, model_max_length=256)
config = BleurtConfig(vocab_size=len(tokeniser), hidden_size=16, num_hidden_layers=1,
                      num_attention_heads=2, intermediate_size=32, max_position_embeddings=256)
model = BleurtForSequenceClassification(config).eval()
model.save_pretrained(folder)
tokeniser.save_pretrained(folder)
scores = []
for reference, output in json.loads(pairs):
    with torch.no_grad():
        scores.append(float(model(**tokeniser(reference, output, return_tensors="pt")).logits))
print(json.dumps(scores))
"""


def test_bleurt_is_that_of_bleurt_pytorch(
    collection: isogloss.Collection, bert: Path, tmp_path: Path
) -> None:
    python = other_python("bleurt", "bleurt-pytorch")
    pairs = json.dumps([(r, o) for _, o, r in sides(collection)])
    made = subprocess.run(
        [python, "-c", MAKE_BLEURT, str(bert / "vocab.txt"), str(tmp_path / "tiny"), pairs],
        capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    expected = json.loads(made.stdout.splitlines()[-1])
    table = isogloss.evaluate(collection, [named("bleurt", tmp_path / "tiny", python)])
    fits = [i for i, (_, o, r) in enumerate(sides(collection)) if len(o) + len(r) < 240]
    assert len(fits) > 5
    assert [found(table)[i] for i in fits] == pytest.approx([expected[i] for i in fits], abs=1e-5)
