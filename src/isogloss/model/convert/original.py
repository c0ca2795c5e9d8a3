"""Someone else's model, read and understood, before it becomes a paraphraser folder.

The order of the pieces in other people's models: which row of the embeddings is which piece.

The tokenisers of the transformers library change with its versions; the files beside a model do
not. So the order is taken from the files, by the rules under which each family was trained.

From the language names inside models to the codes that people write (BCP 47).

Models spell languages as ``deu_Latn``, ``de_DE``, ``deu`` or ``de``. A card lists what a user
writes, ``de``, and maps it to the model's spelling where the two differ.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor

from isogloss.errors import FormatError, InputError
from isogloss.model.folder import Expectation

SHARED_SENTENCEPIECE = "sentencepiece.model"
UNKNOWN, END = "<unk>", "</s>"


@dataclass(frozen=True, slots=True)
class Original:
    """A model's network as a CTranslate2 specification, its pieces, and the facts for its card.

    The pieces stand in the order of the embeddings. `reads` and `writes` map the codes that
    people use to the model's own. `sentencepiece` maps names in the new folder to files of the
    old one. `longest` counts pieces, tags and the end mark; `start` is what the decoder begins
    with.
    """

    specification: Any
    source_pieces: list[str]
    target_pieces: list[str]
    sentencepiece: Mapping[str, Path]
    scheme: str
    reads: Mapping[str, str]
    writes: Mapping[str, str]
    longest: int
    start: str = END
    selftest: Sequence[Expectation] = ()

    def registered(self) -> Any:
        """The specification with vocabularies and marks, ready to be written."""
        register(self.specification, self.source_pieces, self.target_pieces, self.start)
        return self.specification


def register(specification: Any, source: list[str], target: list[str], start: str = END) -> None:
    """Give a specification its vocabularies and its marks.

    The end mark of the source is the tag scheme's business: one place appends it.
    """
    _check(source, len(specification.encoder.embeddings[0].weight))
    _check(target, len(specification.decoder.embeddings.weight))
    specification.register_source_vocabulary(source)
    specification.register_target_vocabulary(target)
    config = specification.config
    config.unk_token, config.bos_token, config.eos_token = UNKNOWN, start, END
    config.decoder_start_token = start
    config.add_source_bos = config.add_source_eos = False


def _check(pieces: Sequence[str], rows: int) -> None:
    """Refuse a vocabulary that does not fit the embeddings or lacks its marks."""
    if len(pieces) != rows:
        raise InputError(f"{len(pieces)} pieces, but {rows} embeddings; they must be as many")
    for mark in (UNKNOWN, END):
        if mark not in pieces:
            raise InputError(f"the vocabulary has no {mark!r}")
    if len(set(pieces)) != rows:
        raise InputError("the vocabulary holds a piece twice")


_FAIRSEQ_SPECIALS = ["<s>", "<pad>", "</s>", "<unk>"]
_SPM_SPECIALS = 3  # <unk>, <s> and </s>, which fairseq puts into another order


def read_json(path: Path) -> dict[str, Any]:
    """A JSON file that holds an object; an absent one is empty."""
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"is not JSON ({error})", path=path) from None
    if not isinstance(content, dict):
        raise FormatError("holds no JSON object", path=path)
    return content


def sentencepiece_pieces(path: Path) -> list[str]:
    """Every piece of a SentencePiece model in its own order."""
    try:
        processor = SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError) as error:
        raise FormatError("is no SentencePiece model", path=path) from error
    return [processor.id_to_piece(number) for number in range(processor.vocab_size())]


def fairseq_order(pieces: Sequence[str], tags: Sequence[str]) -> list[str]:
    """NLLB and mBART-50: fairseq's marks, the pieces, the language tags, the mask."""
    return [*_FAIRSEQ_SPECIALS, *pieces[_SPM_SPECIALS:], *tags, "<mask>"]


def vocabulary_file(path: Path) -> list[str]:
    """The pieces of a ``vocab.json``, by their numbers."""
    numbers = read_json(path)
    if not numbers:
        raise FormatError("no such file", path=path, remedy="the model's vocabulary is needed")
    pieces = sorted(numbers, key=numbers.__getitem__)
    if [numbers[piece] for piece in pieces] != list(range(len(pieces))):
        raise FormatError("the numbers of the pieces have gaps", path=path)
    return pieces


def special_tokens(folder: Path) -> list[str]:
    """The additional special tokens that a model folder lists, in their order."""
    for file in ("special_tokens_map.json", "tokenizer_config.json"):
        content = read_json(folder / file)
        listed = content.get("additional_special_tokens") or content.get("extra_special_tokens")
        if listed:
            return [item if isinstance(item, str) else item["content"] for item in listed]
    return []


def filled(pieces: list[str], rows: int, path: Path) -> list[str]:
    """The pieces, with names made up for embedding rows that nothing uses."""
    if len(pieces) > rows:
        raise FormatError(f"{len(pieces)} pieces, but {rows} embeddings", path=path)
    return pieces + [f"<unused-{number}>" for number in range(len(pieces), rows)]


_ISO_639_3 = (
    "aar:aa abk:ab afr:af aka:ak als:sq amh:am ara:ar arb:ar arg:an asm:as ava:av ayr:ay aze:az "
    "azj:az bak:ba bam:bm bel:be ben:bn bis:bi bod:bo bos:bs bre:br bul:bg cat:ca ces:cs cha:ch "
    "che:ce chv:cv cmn:zh cor:kw cos:co cym:cy dan:da deu:de div:dv dzo:dz ell:el eng:en epo:eo "
    "est:et eus:eu ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr fry:fy ful:ff fuv:ff gaz:om gla:gd "
    "gle:ga glg:gl glv:gv grn:gn guj:gu hat:ht hau:ha hbs:sh heb:he her:hz hin:hi hrv:hr hun:hu "
    "hye:hy ibo:ig ido:io iii:ii ile:ie ina:ia ind:id isl:is ita:it jav:jv jpn:ja kal:kl kan:kn "
    "kas:ks kat:ka kaz:kk khk:mn khm:km kik:ki kin:rw kir:ky kmr:ku knc:kr kon:kg kor:ko kur:ku "
    "lao:lo lat:la lav:lv lim:li lin:ln lit:lt ltz:lb lug:lg lvs:lv mah:mh mal:ml mar:mr mkd:mk "
    "mlg:mg mlt:mt mon:mn mri:mi msa:ms mya:my nav:nv nde:nd nep:ne nld:nl nno:nn nob:nb nor:no "
    "npi:ne nya:ny oci:oc ori:or orm:om ory:or oss:os pan:pa pbt:ps pes:fa plt:mg pol:pl por:pt "
    "pus:ps que:qu quy:qu roh:rm ron:ro run:rn rus:ru sag:sg san:sa sin:si slk:sk slv:sl sme:se "
    "smo:sm sna:sn snd:sd som:so sot:st spa:es sqi:sq srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv "
    "swh:sw tah:ty tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tir:ti ton:to tsn:tn tso:ts tuk:tk "
    "tur:tr twi:tw uig:ug ukr:uk urd:ur uzb:uz uzn:uz ven:ve vie:vi vol:vo wln:wa wol:wo xho:xh "
    "ydd:yi yid:yi yor:yo zho:zh zsm:ms zul:zu "
)
_WITHDRAWN = "iw:he in:id ji:yi jw:jv mo:ro ns:nso"
_SHORT = dict(entry.split(":") for entry in f"{_ISO_639_3} {_WITHDRAWN}".split())


def public_codes(model_codes: Iterable[str]) -> dict[str, str]:
    """For each language of a model the code that a user writes, mapped to the model's own.

    A script or region is kept only where it is needed to tell two codes apart: ``zho_Hans`` is
    ``zh`` and ``zho_Hant`` is ``zh-Hant``, because the first of several takes the short code.
    """
    public: dict[str, str] = {}
    for code in model_codes:
        language, _, rest = code.replace("-", "_").partition("_")
        short = _SHORT.get(language, language)
        candidates = (short, f"{short}-{rest}", language, f"{language}-{rest}", code)
        name = next(name for name in candidates if name not in public)
        public[name] = code
    if "nb" in public:
        public.setdefault("no", public["nb"])  # people write Norwegian either way
    return public
