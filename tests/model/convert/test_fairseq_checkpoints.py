"""fairseq checkpoints: scored as PyTorch scores them, loaded without fairseq and without risk."""

import hashlib
import os
import pickle
import sys
import types
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import FormatError, InputError
from isogloss.model import Pair, Paraphraser
from isogloss.model.convert import CardDetails, convert_model, fairseq
from isogloss.model.convert.checkpoints import StandIn, load_inert
from isogloss.model.convert.fairseq import _languages, read_dictionary
from isogloss.model.convert.language_lists import PRISM
from model.tiny_models import HEADS, Network, trained_sentencepiece

torch = pytest.importorskip("torch")

DETAILS = CardDetails(name="m", licence="MIT")
SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
PAIR = Pair("the cat sat on a mat", "das Haus und die Maus", "de", "en")


class FairseqModel:
    """A folder as Prism's own model is published, with random weights."""

    def __init__(self, folder: Path, *, pre_norm: bool = True, old_names: bool = False) -> None:
        folder.mkdir()
        self.folder = folder
        self.processor = trained_sentencepiece(folder / "spm.model")
        own = [self.processor.id_to_piece(n) for n in range(3, self.processor.vocab_size())]
        self.pieces = [*SPECIALS, *own, "<de>", "<en>", "madeupword0000"]
        lines = "".join(f"{piece} {7}\n" for piece in self.pieces[4:])
        (folder / "dict.src.txt").write_text(lines)
        (folder / "dict.tgt.txt").write_text(lines)
        # fairseq's first token sits at position 2, behind the padding's.
        self.network = Network(len(self.pieces), pre_norm=pre_norm, first_position=2)
        self.settings = {
            "arch": "transformer",
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": HEADS,
            "decoder_attention_heads": HEADS,
            "encoder_normalize_before": pre_norm,
            "decoder_normalize_before": pre_norm,
            "max_source_positions": 128,
            "max_target_positions": 100,
            "activation_fn": "relu",
        }
        self.state = self._state(old_names)

    def _state(self, old_names: bool) -> dict:
        state = {name: torch.tensor(w).float() for name, w in self.network.weights.items()}
        embeddings = state.pop("embed_tokens.weight")
        for side in ("encoder", "decoder"):
            state[f"{side}.embed_tokens.weight"] = embeddings
            state[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
            state[f"{side}.version"] = torch.tensor([3.0])
        if old_names:
            for name in [name for name in state if "q_proj" in name]:
                scope, kind = name.split("q_proj.")
                parts = [state.pop(f"{scope}{part}_proj.{kind}") for part in "qkv"]
                state[f"{scope}in_proj_{kind}"] = torch.cat(parts)
        else:
            state["decoder.output_projection.weight"] = embeddings
        return state

    def save(self, zipped: bool = True, **content: object) -> None:
        whole = {"args": Namespace(**self.settings), "model": self.state} | content
        torch.save(
            whole,
            self.folder / "checkpoint.pt",
            _use_new_zipfile_serialization=zipped,
        )

    def log_probs(self, pair: Pair) -> list[float]:
        number = {piece: n for n, piece in enumerate(self.pieces)}
        source, target = (
            [number[piece] for piece in self.processor.encode(text, out_type=str)]
            for text in (pair.condition, pair.target)
        )
        decoder = [2, number[f"<{pair.target_language}>"], *target]
        result = self.network.forward([*source, 2], decoder).log_probs
        return [float(result[1 + i, n]) for i, n in enumerate([*target, 2])]


@pytest.mark.parametrize("pre_norm", [True, False])
@pytest.mark.parametrize("old_names", [True, False])
def test_a_checkpoint_scores_as_pytorch_does(
    tmp_path: Path, pre_norm: bool, old_names: bool
) -> None:
    original = FairseqModel(tmp_path / "original", pre_norm=pre_norm, old_names=old_names)
    original.save(zipped=not old_names)
    card = convert_model(original.folder, tmp_path / "model", DETAILS)
    assert (card.scheme, card.languages) == ("prism", ("de", "en"))
    assert card.max_source_length == 100
    assert card.selftest == ()  # only the published model has those values
    (scores,) = Paraphraser.load(tmp_path / "model").score([PAIR])
    assert scores.log_probs == pytest.approx(original.log_probs(PAIR), abs=1e-4)


def test_prisms_own_languages_go_before_what_looks_like_a_tag() -> None:
    pieces = [*SPECIALS, "<br>", *(f"<{code}>" for code in reversed(PRISM))]
    assert _languages(pieces) == PRISM
    assert len(PRISM) == 39
    assert _languages([*SPECIALS, "<br>", "<de>"]) == ["br", "de"]


def test_the_published_model_carries_its_known_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = FairseqModel(tmp_path / "original")
    original.save()
    names = ("checkpoint.pt", "spm.model", "dict.src.txt", "dict.tgt.txt")
    content = b"".join((original.folder / name).read_bytes() for name in names)
    checksum = hashlib.md5(content, usedforsecurity=False).hexdigest()
    monkeypatch.setattr(fairseq, "_M39V1_MD5", checksum)
    card = convert_model(original.folder, tmp_path / "model", DETAILS)
    assert card.selftest == fairseq.M39V1_SELFTEST
    assert card.selftest[0].score == -2.462842


def test_settings_of_later_versions_are_a_dictionary(tmp_path: Path) -> None:
    original = FairseqModel(tmp_path / "original")
    original.save(args=None, cfg={"model": original.settings})
    convert_model(original.folder, tmp_path / "model", DETAILS, family="prism")
    (scores,) = Paraphraser.load(tmp_path / "model").score([PAIR])
    assert scores.log_probs == pytest.approx(original.log_probs(PAIR), abs=1e-4)


@pytest.mark.parametrize("zipped", [True, False])
def test_objects_of_fairseqs_own_classes_are_stood_in_for(tmp_path: Path, zipped: bool) -> None:
    original = FairseqModel(tmp_path / "original")
    module = types.ModuleType("fairseq_meters_of_old")

    class AverageMeter:
        def __init__(self) -> None:
            self.value = 3

    class Meters(list):
        pass

    class Table(dict):
        pass

    for kind in (AverageMeter, Meters, Table):
        kind.__module__, kind.__qualname__ = module.__name__, kind.__name__
        setattr(module, kind.__name__, kind)
    sys.modules[module.__name__] = module
    try:
        extra = {"meter": AverageMeter(), "list": Meters([1, 2]), "table": Table(a=1)}
        original.save(zipped, extra_state=extra)
    finally:
        del sys.modules[module.__name__]
    content = load_inert(original.folder / "checkpoint.pt")
    assert all(isinstance(value, StandIn) for value in content["extra_state"].values())
    convert_model(original.folder, tmp_path / "model", DETAILS)


class Malicious:
    """Unpickled by the usual means, this would run a command."""

    def __reduce__(self) -> tuple:
        return os.system, ("echo harm > harm.txt",)


@pytest.mark.parametrize("zipped", [True, False])
def test_nothing_in_a_checkpoint_is_run(
    tmp_path: Path, zipped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"a": Malicious()}, "evil.pt", _use_new_zipfile_serialization=zipped)
    assert isinstance(load_inert(tmp_path / "evil.pt")["a"], StandIn)
    assert not (tmp_path / "harm.txt").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"no_cross_attention": True}, "trained with --no-cross-attention"),
        ({"decoder_attention_heads": 2}, "differ in attention_heads"),
        ({"activation_fn": "sine"}, "unknown activation 'sine'"),
    ],
)
def test_other_architectures_are_refused(tmp_path: Path, change: dict, message: str) -> None:
    original = FairseqModel(tmp_path / "original")
    original.settings |= change
    original.save()
    with pytest.raises(FormatError, match=message):
        convert_model(original.folder, tmp_path / "model", DETAILS)


def test_a_missing_setting_is_named(tmp_path: Path) -> None:
    original = FairseqModel(tmp_path / "original")
    del original.settings["encoder_layers"]
    original.save()
    with pytest.raises(FormatError, match="encoder_layers"):
        convert_model(original.folder, tmp_path / "model", DETAILS)


def test_files_that_are_no_checkpoint_are_told(tmp_path: Path) -> None:
    original = FairseqModel(tmp_path / "original")
    path = original.folder / "checkpoint.pt"
    for content, message in (({"args": None}, "no model"), ({"model": {}}, "no settings")):
        torch.save(content, path)
        with pytest.raises(FormatError, match=message):
            convert_model(original.folder, tmp_path / "model", DETAILS)
    torch.save([1], path)
    with pytest.raises(FormatError, match="no dictionary"):
        load_inert(path)
    path.write_bytes(pickle.dumps({"a": 1}) + b"more")
    with pytest.raises(FormatError, match="no PyTorch checkpoint"):
        load_inert(path)
    path.unlink()
    with pytest.raises(FormatError, match="no such file"):
        convert_model(original.folder, tmp_path / "model", DETAILS, family="prism")


def test_dictionaries_may_hold_odd_pieces(tmp_path: Path) -> None:
    path = tmp_path / "dict.txt"
    path.write_text("▁a 3\n\u2028b 2\n<s> 1 #fairseq:overwrite\n\u00a0 1\n", encoding="utf-8")
    assert read_dictionary(path) == [*SPECIALS, "▁a", "\u2028b", "<s>", "\u00a0"]
    path.write_text("▁a 3\nbroken\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"dict\.txt:2: 'broken' is not 'piece count'"):
        read_dictionary(path)
    with pytest.raises(FormatError, match="no such file"):
        read_dictionary(tmp_path / "none.txt")


def test_a_dictionary_of_another_size_is_refused(tmp_path: Path) -> None:
    original = FairseqModel(tmp_path / "original")
    original.save()
    with (original.folder / "dict.tgt.txt").open("a") as stream:
        stream.write("one-too-many 1\n")
    with pytest.raises(InputError, match="pieces, but"):
        convert_model(original.folder, tmp_path / "model", DETAILS)
    assert np.array_equal(original.state["encoder.version"], [3.0])
