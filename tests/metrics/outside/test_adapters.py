"""Adapters against the packages that they run, with small models made here."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import InputError, NotApplicableError
from isogloss.metrics import interpreters, load_metric, set_interpreter
from isogloss.metrics.outside.interpreters import interpreter
from isogloss.signature import MetricName

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = "the a rent tenant contract house owner must pay in of to is and . , ##s ##e ##t ##a ##n"
LONG = "The tenant must pay the rent of the house to the owner . " * 30


def other_python(name: str, package: str) -> str:
    """The interpreter of an adapter's environment, or a skip that says how to make one."""
    python = os.environ.get(f"ISOGLOSS_TEST_{name.upper()}_PYTHON")
    if python is None:
        pytest.skip(
            f"no environment with {package}: make one and name its interpreter in "
            f"ISOGLOSS_TEST_{name.upper()}_PYTHON"
        )
    return python


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

MAKE_COMET = """
import json, sys, torch, yaml, pathlib
from comet.models import RegressionMetric
bert, folder, samples = sys.argv[1:]
torch.manual_seed(3)
model = RegressionMetric(encoder_model="BERT", pretrained_model=bert, hidden_sizes=[8],
                         load_pretrained_weights=True, local_files_only=True)
model.eval()
path = pathlib.Path(folder, "checkpoints")
path.mkdir(parents=True)
torch.save({"state_dict": model.state_dict(), "hyper_parameters": dict(model.hparams),
            "pytorch-lightning_version": "2.0.0"}, path / "model.ckpt")
hparams = {"class_identifier": "regression_metric", **{k: v for k, v in model.hparams.items()}}
pathlib.Path(folder, "hparams.yaml").write_text(yaml.dump(hparams))
told = model.predict(json.loads(samples), gpus=0, num_workers=0, progress_bar=False)
print(json.dumps([float(s) for s in told["scores"]]))
"""


def test_comet_is_that_of_unbabel_comet(collection: isogloss.Collection, tmp_path: Path) -> None:
    python = other_python("comet", "unbabel-comet")
    write_bert(tmp_path / "bert", positions=512)
    samples = json.dumps([{"src": s, "mt": o, "ref": r} for s, o, r in sides(collection)])
    made = subprocess.run(
        [python, "-c", MAKE_COMET, str(tmp_path / "bert"), str(tmp_path / "tiny-comet"), samples],
        capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    expected = json.loads(made.stdout.splitlines()[-1])
    table = isogloss.evaluate(
        collection, [named("comet", tmp_path / "tiny-comet" / "checkpoints" / "model.ckpt", python)]
    )
    assert found(table) == pytest.approx(expected, abs=1e-5)
    assert "comet(model=tiny-comet)|model:tiny-comet|digest:" in table.metrics[0].signature
    assert "unbabel-comet:2" in table.metrics[0].signature
    in_parts = isogloss.evaluate(long_text(), [named("comet", tmp_path / "tiny-comet", python)])
    assert None not in found(in_parts)


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
