"""Other people's models: token log-probabilities equal transformers' teacher forcing."""

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import FormatError, InputError, MissingExtraError
from isogloss.model import Pair, Paraphraser
from isogloss.model.convert import CardDetails, convert_model, language_lists
from isogloss.model.convert.conversion import recognised_family
from model.tiny_models import precision_for_int8, sentences, trained_sentencepiece

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")  # "Recommended: sacremoses"
DETAILS = CardDetails(name="tiny", licence="MIT")
SMALL = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "init_std": 0.3,
}


@dataclass
class Published:
    """A tiny model of one family, as its makers would publish it, with its right answers."""

    folder: Path
    family: str
    model: Any
    encode: Callable[[str], list[int]]
    encode_target: Callable[[str], list[int]]
    source_start: list[int]
    target_start: list[int]
    end: int
    start: int
    without_last: bool = False

    def log_probs(self, pair: Pair, temperature: float = 1.0) -> list[float]:
        """Teacher forcing: pieces and end mark of the target, given tags and context."""
        context = [n for text in pair.context_target for n in self.encode_target(text)]
        target = self.encode_target(pair.target)
        source = [n for text in pair.context_condition for n in self.encode(text)]
        source = [*self.source_start, *source, *self.encode(pair.condition), self.end]
        wanted = [*self.target_start, *context, *target, self.end]
        with torch.no_grad():
            logits = self.model(
                input_ids=torch.tensor([source]),
                decoder_input_ids=torch.tensor([[self.start, *wanted[:-1]]]),
            ).logits[0]
        if self.without_last:
            logits = logits[:, :-1]  # Marian's own program has no padding piece
        every = (logits / temperature).log_softmax(-1)[range(len(wanted)), wanted].tolist()
        return every[len(self.target_start) + len(context) :]


def finished(model: Any, folder: Path, **settings: object) -> Any:
    """Save the weights and the settings as they are, without what the library thinks of them."""
    from safetensors.torch import save_file

    model.eval()
    folder.mkdir(exist_ok=True)
    state = {name: tensor.clone().contiguous() for name, tensor in model.state_dict().items()}
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads(model.config.to_json_string(use_diff=False)) | settings
    (folder / "config.json").write_text(json.dumps(config))
    return model


def m2m100(folder: Path, family: str = "m2m100") -> Published:
    folder.mkdir()
    spm = trained_sentencepiece(folder / "sentencepiece.bpe.model", model_type="bpe")
    pieces = [spm.id_to_piece(n) for n in range(3, spm.vocab_size())]
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *pieces]
    numbers = {piece: n for n, piece in enumerate(vocabulary)}
    (folder / "vocab.json").write_text(json.dumps(numbers))
    tokenizer = transformers.M2M100Tokenizer(
        vocab_file=str(folder / "vocab.json"),
        spm_file=str(folder / "sentencepiece.bpe.model"),
    )
    config = transformers.M2M100Config(
        vocab_size=len(vocabulary) + 100 + 8, max_position_embeddings=64, **SMALL
    )
    model = finished(transformers.M2M100ForConditionalGeneration(config), folder)

    def encode(text: str) -> list[int]:
        return list(tokenizer.convert_tokens_to_ids(tokenizer.tokenize(text)))

    german, english = tokenizer.get_lang_id("de"), tokenizer.get_lang_id("en")
    small = family == "small100"
    return Published(
        folder=folder,
        family=family,
        model=model,
        encode=encode,
        encode_target=encode,
        source_start=[german if small else english],
        target_start=[] if small else [german],
        end=2,
        start=2,
    )


def small100(folder: Path) -> Published:
    original = m2m100(folder, "small100")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "SMALL100Tokenizer"}')
    return original


def fairseq_numbers(spm: Any) -> Callable[[str], list[int]]:
    """SentencePiece's numbers as fairseq shifts them: unknown is 3, the rest is one up."""
    return lambda text: [3 if n == spm.unk_id() else n + 1 for n in spm.encode(text)]


def nllb(folder: Path) -> Published:
    folder.mkdir()
    spm = trained_sentencepiece(folder / "sentencepiece.bpe.model", model_type="bpe")
    first = spm.vocab_size() + 1
    config = transformers.M2M100Config(
        vocab_size=first + 202 + 1 + 2, max_position_embeddings=64, **SMALL
    )
    model = finished(transformers.M2M100ForConditionalGeneration(config), folder)
    english, german = (first + language_lists.NLLB.index(c) for c in ("eng_Latn", "deu_Latn"))
    encode = fairseq_numbers(spm)
    return Published(folder, "nllb", model, encode, encode, [english], [german], 2, 2)


def mbart50(folder: Path) -> Published:
    folder.mkdir()
    spm = trained_sentencepiece(folder / "sentencepiece.bpe.model")
    first = spm.vocab_size() + 1
    config = transformers.MBartConfig(
        vocab_size=first + 52 + 1,
        max_position_embeddings=64,
        scale_embedding=True,
        activation_function="gelu",
        **SMALL,
    )
    model = transformers.MBartForConditionalGeneration(config)
    torch.nn.init.normal_(model.model.encoder.embed_positions.weight, std=0.3)
    finished(model, folder)
    english, german = (first + language_lists.MBART50.index(c) for c in ("en_XX", "de_DE"))
    encode = fairseq_numbers(spm)
    return Published(folder, "mbart50", model, encode, encode, [english], [german], 2, 2)


def marian(folder: Path, tag: str = ">>deu<<") -> Published:
    folder.mkdir()
    source = trained_sentencepiece(folder / "source.spm")
    target = trained_sentencepiece(folder / "target.spm", model_type="bpe", vocab_size=100)
    own = (spm.id_to_piece(n) for spm in (source, target) for n in range(3, spm.vocab_size()))
    tags = [tag] if tag else []
    pieces = ["</s>", "<unk>", *dict.fromkeys(own), *tags, "<pad>"]
    numbers = {piece: n for n, piece in enumerate(pieces)}
    (folder / "vocab.json").write_text(json.dumps(numbers))
    (folder / "tokenizer_config.json").write_text('{"source_lang": "eng", "target_lang": "deu"}')
    config = transformers.MarianConfig(
        vocab_size=len(pieces),
        max_position_embeddings=64,
        pad_token_id=len(pieces) - 1,
        eos_token_id=0,
        decoder_start_token_id=len(pieces) - 1,
        scale_embedding=True,
        activation_function="swish",
        **SMALL,
    )
    model = transformers.MarianMTModel(config)
    model.final_logits_bias.normal_(std=0.5)
    with torch.no_grad():
        model.model.shared.weight[-1] = 0  # the decoder starts from a zero vector
    finished(model, folder)

    def encoder(spm: Any) -> Callable[[str], list[int]]:
        return lambda text: [numbers.get(p, 1) for p in spm.encode(text, out_type=str)]

    return Published(
        folder=folder,
        family="marian",
        model=model,
        encode=encoder(source),
        encode_target=encoder(target),
        source_start=[numbers[tag]] if tag else [],
        target_start=[],
        end=0,
        start=len(pieces) - 1,
        without_last=True,
    )


def bilingual_marian(folder: Path) -> Published:
    return marian(folder, tag="")


def madlad(folder: Path, tied: bool = False) -> Published:
    folder.mkdir()
    spm = trained_sentencepiece(
        folder / "spiece.model",
        vocab_size=420,
        byte_fallback=True,
        user_defined_symbols=["<2de>", "<2en>", "<2zh_Hant>", "<2translate>"],
    )
    config = transformers.T5Config(
        vocab_size=spm.vocab_size() + 5,
        d_model=32,
        d_kv=12,  # not the width divided by the heads, as in MADLAD itself
        d_ff=48,
        num_layers=2,
        num_decoder_layers=3,
        num_heads=4,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=16,
        feed_forward_proj="relu" if tied else "gated-gelu",
        decoder_start_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        tie_word_embeddings=tied,
    )
    model = transformers.T5ForConditionalGeneration(config)
    if not tied:
        model.lm_head = torch.nn.Linear(32, config.vocab_size, bias=False)
    for name, weight in model.named_parameters():
        if "relative_attention_bias" in name or "layer_norm" in name:
            torch.nn.init.normal_(weight, mean=1.0, std=0.3)
    finished(model, folder, tie_word_embeddings=tied)

    def encode(text: str) -> list[int]:
        return list(spm.encode(text))

    # The tag is a word of its own in front of the text.
    start = encode("<2de>")
    assert [spm.id_to_piece(n) for n in start] == ["▁", "<2de>"]
    return Published(folder, "madlad", model, encode, encode, start, [], 2, 0)


def tied_t5(folder: Path) -> Published:
    return madlad(folder, tied=True)


FAMILIES = [m2m100, small100, nllb, mbart50, marian, bilingual_marian, madlad, tied_t5]


@pytest.fixture(scope="module", params=FAMILIES, ids=lambda make: make.__name__)
def published(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Published:
    torch.manual_seed(7)
    made: Published = request.param(tmp_path_factory.mktemp("original") / "model")
    return made


@pytest.fixture(scope="module")
def converted(published: Published, tmp_path_factory: pytest.TempPathFactory) -> Paraphraser:
    folder = tmp_path_factory.mktemp("converted") / "model"
    convert_model(published.folder, folder, DETAILS)
    return Paraphraser.load(folder)


def pairs(context: int) -> list[Pair]:
    texts = [*sentences(22, seed=11), "the 🦄 cat", "das 🦄 Haus."]
    before = tuple(sentences(context, seed=12, longest=3))
    return [
        Pair(a, b, "de", "en", before, before[::-1])
        for a, b in zip(texts[::2], texts[1::2], strict=True)
    ]


@pytest.mark.parametrize("context", [0, 2])
def test_log_probs_equal_teacher_forcing(
    published: Published, converted: Paraphraser, context: int
) -> None:
    together = list(converted.score(pairs(context)))
    for pair, scores in zip(pairs(context), together, strict=True):
        assert scores is not None
        assert scores.log_probs == pytest.approx(published.log_probs(pair), abs=1e-4)
    (alone,) = converted.score([pairs(context)[0]], window=1)
    assert together[0] is not None
    assert alone is not None
    assert alone.log_probs == pytest.approx(together[0].log_probs, abs=1e-5)


def test_the_family_is_recognised_and_named_in_the_card(
    published: Published, converted: Paraphraser
) -> None:
    assert recognised_family(published.folder) == published.family
    assert converted.card.scheme == published.family
    assert "de" in converted.card.writes
    assert "en" in converted.card.languages


def test_vectors_and_attention_come_from_every_family(converted: Paraphraser) -> None:
    (vector,) = converted.embed(["the cat sat"], converted.card.languages[0])
    assert vector is not None
    assert vector.shape == (32,)
    (attention,) = converted.attend([Pair("the cat sat", "das Haus", "de", "en")])
    assert attention is not None
    assert attention.weights.shape == (len(attention.target), len(attention.condition))
    ((best,),) = converted.translate(["the cat sat"], "de", source_language="en")
    assert best.pieces


def test_int8_is_as_close_in_every_family(published: Published, tmp_path: Path) -> None:
    convert_model(published.folder, tmp_path / "int8", DETAILS, quantization="int8")
    model = Paraphraser.load(tmp_path / "int8", precision=precision_for_int8())
    for pair, scores in zip(pairs(0), model.score(pairs(0)), strict=True):
        assert scores is not None
        assert scores.sum == pytest.approx(sum(published.log_probs(pair)), rel=0.08)


@pytest.mark.parametrize("temperature", [0.5, 3.0])
def test_temperature_divides_the_logits_of_every_family(
    published: Published, tmp_path: Path, temperature: float
) -> None:
    for precision, close in (("float32", {"abs": 1e-4}), ("int8", {"rel": 0.08, "abs": 0.3})):
        convert_model(published.folder, tmp_path / precision, DETAILS, quantization=precision)
        computed = precision_for_int8() if precision == "int8" else None
        model = Paraphraser.load(tmp_path / precision, precision=computed, temperature=temperature)
        for pair, scores in zip(pairs(1), model.score(pairs(1)), strict=True):
            assert scores is not None
            expected = published.log_probs(pair, temperature)
            if precision == "float32":
                assert scores.log_probs == pytest.approx(expected, **close)
            assert scores.sum == pytest.approx(sum(expected), **close)


@pytest.fixture(scope="module")
def nllb_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return nllb(tmp_path_factory.mktemp("nllb") / "model").folder


def test_published_names_become_bcp_47(nllb_folder: Path, tmp_path: Path) -> None:
    card = convert_model(nllb_folder, tmp_path / "model", DETAILS)
    assert card.language_codes["de"] == "deu_Latn"
    assert card.language_codes["zh-Hant"] == "zho_Hant"
    assert card.language_codes["no"] == card.language_codes["nb"] == "nob_Latn"
    assert card.target_languages is None


def test_details_restrict_a_card(nllb_folder: Path, tmp_path: Path) -> None:
    details = CardDetails("few", "MIT", ("de", "en"), ("de",), 40, {"origin": "a test"})
    card = convert_model(nllb_folder, tmp_path / "model", details)
    assert card.languages == ("de", "en")
    assert card.target_languages == ("de",)
    assert card.max_target_length == 40
    assert dict(card.card) == {"origin": "a test"}
    with pytest.raises(InputError, match="has no xx; it reads: "):
        convert_model(nllb_folder, tmp_path / "other", CardDetails("x", "MIT", ("xx",)))


def test_a_folder_may_list_its_own_languages(tmp_path: Path) -> None:
    original = m2m100(tmp_path / "original")
    tags = [f"__{code}__" for code in language_lists.M2M100]
    tags[0] = "__qq__"
    (original.folder / "special_tokens_map.json").write_text(
        json.dumps({"additional_special_tokens": [{"content": tag} for tag in tags]})
    )
    assert convert_model(original.folder, tmp_path / "model", DETAILS).languages[0] == "qq"


def test_weights_in_several_files_or_in_pytorchs_format(nllb_folder: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    plain = convert_model(nllb_folder, tmp_path / "plain", DETAILS)
    state = load_file(nllb_folder / "model.safetensors")
    others = shutil.ignore_patterns("*.safetensors")
    shutil.copytree(nllb_folder, tmp_path / "bin", ignore=others)
    torch.save(state, tmp_path / "bin" / "pytorch_model.bin")
    assert convert_model(tmp_path / "bin", tmp_path / "b", DETAILS).digest == plain.digest
    shutil.copytree(nllb_folder, tmp_path / "parts", ignore=others)
    # Tied weights only once, and under the least likely of their names.
    del state["model.shared.weight"], state["model.encoder.embed_tokens.weight"]
    del state["model.decoder.embed_tokens.weight"]
    files = {name: f"part-{n % 2}.safetensors" for n, name in enumerate(state)}
    for file in set(files.values()):
        save_file({n: state[n] for n in state if files[n] == file}, tmp_path / "parts" / file)
    (tmp_path / "parts" / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": files})
    )
    assert convert_model(tmp_path / "parts", tmp_path / "p", DETAILS).digest == plain.digest


def test_what_cannot_be_converted_is_told(nllb_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder; download"):
        convert_model(tmp_path / "none", tmp_path / "model", DETAILS)
    with pytest.raises(InputError, match="unknown family 'gpt'; known are: prism"):
        convert_model(nllb_folder, tmp_path / "model", DETAILS, family="gpt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="cannot tell what model this is"):
        convert_model(tmp_path / "empty", tmp_path / "model", DETAILS)
    with pytest.raises(FormatError, match=r"config\.json: no such file"):
        convert_model(tmp_path / "empty", tmp_path / "model", DETAILS, family="nllb")
    shutil.copytree(nllb_folder, tmp_path / "bare", ignore=shutil.ignore_patterns("model.*"))
    with pytest.raises(FormatError, match="no weights here"):
        convert_model(tmp_path / "bare", tmp_path / "model", DETAILS)
    (tmp_path / "bare" / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(FormatError, match="cannot be read"):
        convert_model(tmp_path / "bare", tmp_path / "model", DETAILS)
    with pytest.raises(FormatError, match=r"vocab\.json: no such file"):
        convert_model(nllb_folder, tmp_path / "model", DETAILS, family="m2m100")
    shutil.copytree(nllb_folder, tmp_path / "other")
    tags = [f"xx{n}_Latn" for n in range(300)]
    listed = json.dumps({"additional_special_tokens": tags})
    (tmp_path / "other" / "special_tokens_map.json").write_text(listed)
    with pytest.raises(FormatError, match="pieces, but"):
        convert_model(tmp_path / "other", tmp_path / "model", DETAILS)
    assert not (tmp_path / "model").exists()


def test_a_marian_model_that_names_no_languages_must_be_told_them(tmp_path: Path) -> None:
    original = bilingual_marian(tmp_path / "original")
    (original.folder / "tokenizer_config.json").unlink()
    with pytest.raises(InputError, match="does not say which languages it reads; name them"):
        convert_model(original.folder, tmp_path / "model", DETAILS)
    named = CardDetails("tiny", "MIT", reads=("en",), writes=("de",))
    card = convert_model(original.folder, tmp_path / "model", named)
    assert (card.languages, card.writes, dict(card.language_codes)) == (("en",), ("de",), {})
    (original.folder / "target_vocab.json").write_text("{}")
    with pytest.raises(FormatError, match="not supported"):
        convert_model(original.folder, tmp_path / "other", named)


def test_only_language_tags_of_madlad_are_languages(tmp_path: Path) -> None:
    original = madlad(tmp_path / "original")
    card = convert_model(original.folder, tmp_path / "model", DETAILS)
    assert card.languages == ("de", "en", "zh")
    assert dict(card.language_codes) == {"zh": "zh_Hant"}
    trained_sentencepiece(original.folder / "spiece.model")
    with pytest.raises(FormatError, match="no language tags"):
        convert_model(original.folder, tmp_path / "other", DETAILS)


@pytest.mark.parametrize("missing", ["torch", "safetensors"])
def test_conversion_without_its_extra_says_what_to_install(
    nllb_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[convert\]'"):
        convert_model(nllb_folder, tmp_path / "model", DETAILS)


def test_half_precision_weights(nllb_folder: Path, tmp_path: Path) -> None:
    sizes = {}
    for precision in ("float32", "float16", "bfloat16", "int16"):
        card = convert_model(nllb_folder, tmp_path / precision, DETAILS, quantization=precision)
        assert card.precision == precision
        sizes[precision] = (tmp_path / precision / "model.bin").stat().st_size
    assert sizes["bfloat16"] == sizes["float16"] < 0.6 * sizes["float32"]
