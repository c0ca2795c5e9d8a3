"""What the steps of the training room take: plain argparse, which is wherever Python is."""

from argparse import ArgumentDefaultsHelpFormatter, ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

_ABOUT = """Train a model for Prism on your own parallel text, step by step:

  python -m isogloss.training clean text/*.tsv.zst --out clean --ordered europarl=64
  python -m isogloss.training vocabulary text/*.tsv.zst --out sentencepiece.model
  python -m isogloss.training pack clean --vocabulary sentencepiece.model --out packed
  python -m isogloss.training paraphrases packed
  python -m isogloss.training judged wmt22/en-de --vocabulary sentencepiece.model --out judged
  python -m isogloss.training train --packed packed --vocabulary sentencepiece.model --out run \\
      --judged judged --minutes 20 --device cuda --compile
  python -m isogloss.training plot run/log.jsonl --out run.png
  python -m isogloss.training export run/final.pt --vocabulary sentencepiece.model --out my-model \\
      --name my-model
  isogloss evaluate testset.toml -m "prism(model=my-model)"

Teach a model what people take off for errors, beginning with one that isogloss can load:

  python -m isogloss.training weights my-model --out initial.pt
  python -m isogloss.training penalties wmt22/en-de campaign/en-de --out penalties \\
      --vocabulary sentencepiece.model
  python -m isogloss.training train-judged --penalties penalties --held-out "campaign.*" \\
      --initial initial.pt --vocabulary sentencepiece.model --out judged-run --steps 600
  python -m isogloss.training export judged-run/final.pt --vocabulary sentencepiece.model \\
      --out my-judge --name my-judge
  isogloss evaluate testset.toml -m "mqm(model=my-judge)"

Every step can be interrupted and started again. STEP --help says what a step takes."""


class _Formatter(ArgumentDefaultsHelpFormatter, RawDescriptionHelpFormatter):
    """Keeps the examples as they are, and tells defaults."""


def parser() -> ArgumentParser:
    """The parser of all steps."""
    whole = ArgumentParser(
        prog="python -m isogloss.training", description=_ABOUT, formatter_class=_Formatter
    )
    steps = whole.add_subparsers(required=True, metavar="STEP", dest="step")
    _add_data_steps(steps)
    train = _step(steps, "train", "train on packed data, within minutes or steps")
    _add_sizes(train)
    _add_train(train)
    bench = _step(steps, "bench", "measure the throughput of training steps on random text")
    _add_sizes(bench)
    _add(bench, "variants", "adamw,muon,muon+compile", "OPTIMISER[+compile], ...")
    _add(bench, "seconds", 20.0, "how long to measure each variant")
    _add(bench, "pieces", 32_000, "size of the vocabulary")
    bench.add_argument("--out", type=Path, help="write the figures here as JSON")
    _add_looking_steps(steps)
    _add_judged_steps(steps)
    _add_weight_steps(steps)
    return whole


def _step(steps: Any, name: str, about: str) -> ArgumentParser:
    made: ArgumentParser = steps.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".", formatter_class=_Formatter
    )
    return made


def _add(parser: ArgumentParser, name: str, default: Any, about: str) -> None:
    """An option whose default says its type."""
    parser.add_argument(f"--{name}", type=type(default), default=default, help=about)


def _path(parser: ArgumentParser, name: str, about: str, required: bool = True) -> None:
    parser.add_argument(f"--{name}", type=Path, required=required, help=about)


def _add_data_steps(steps: Any) -> None:
    clean = _step(steps, "clean", "filter bitext into columns of sentences")
    clean.add_argument("bitext", type=Path, nargs="+", help=".tsv, .tmx or .parquet, also packed")
    _path(clean, "out", "a folder; each bitext gets one in it, with counts of what was dropped")
    _add(clean, "ordered", "", "NAME=ROWS: texts in order, and the rows of a document (0: all)")
    _add(clean, "identify", 0.0, "drop what py3langid puts elsewhere with such a probability, .9")
    _add(clean, "similar", 0.0, "drop pairs whose vectors have a smaller cosine, about .6; slow")
    _add(clean, "similar-by", "default", "the model that makes those vectors")
    words = _step(steps, "vocabulary", "train the SentencePiece model")
    words.add_argument("bitext", type=Path, nargs="+", help="the texts to learn pieces from")
    _path(words, "out", "the SentencePiece model")
    _add(words, "size", 32_000, "number of pieces")
    _add(words, "sentences", 700_000, "how many sentences to learn from")
    _add(words, "temperature", 2.5, "1 takes languages as they come, more levels them")
    _add(words, "threads", 2, "threads of the trainer")
    pack = _step(steps, "pack", "encode cleaned text into packed data")
    pack.add_argument("cleaned", type=Path, help="the folder that 'clean' wrote")
    _path(pack, "out", "a folder; sets that are there already are passed over")
    _path(pack, "vocabulary", "the SentencePiece model")
    _add(pack, "processes", 2, "processes that encode")

    pivot = _step(steps, "paraphrases", "make paraphrases of sentences with a common translation")
    pivot.add_argument("packed", type=Path, help="packed sets of two languages; sets are added")
    _add(pivot, "fewest", 500, "pairs that a language must have")


def _add_looking_steps(steps: Any) -> None:
    judged = _step(steps, "judged", "encode test sets with human scores, to train by")
    judged.add_argument("testsets", type=Path, nargs="+", help="with judgements beside them")
    _path(judged, "out", "a folder for 'train --judged'")
    _path(judged, "vocabulary", "the SentencePiece model")
    _add(judged, "human", "mqm", "the kind of judgements")
    judged.add_argument("--reference", help="the name of the reference; the first unless given")
    plot = _step(steps, "plot", "draw the log of a run")
    plot.add_argument("log", type=Path, help="log.jsonl in the folder of a run")
    _path(plot, "out", "a .png, .svg or .pdf file")
    bleu = _step(steps, "bleu", "translate held-out text with an exported model; BLEU by direction")
    bleu.add_argument("model", help="a model folder, or the name of an installed model")
    bleu.add_argument("bitext", type=Path, nargs="+", help="text that was not trained on")
    _add(bleu, "sentences", 100, "how many of each file")
    _add(bleu, "beam", 1, "beam size")


def _add_judged_steps(steps: Any) -> None:
    weights = _step(steps, "weights", "read the weights of a model folder, to train on from them")
    weights.add_argument("model", help="a model folder, or the name of an installed model")
    _path(weights, "out", "the file to write, for --initial")
    _add(weights, "temperature", 1.0, "the temperature that was put into them, to be taken out")
    penalties = _step(steps, "penalties", "encode test sets with human penalties, to train on")
    penalties.add_argument("testsets", type=Path, nargs="+", help="with judgements beside them")
    _path(penalties, "out", "a folder for 'train-judged --penalties'")
    _path(penalties, "vocabulary", "the SentencePiece model")
    _add(penalties, "human", "mqm", "the kind of judgements; scores are minus the penalty")
    penalties.add_argument("--reference", help="the reference to measure by; the first otherwise")
    _add_error_steps(steps)
    judged = _step(steps, "train-judged", "teach a model what people take off for errors")
    _path(judged, "initial", "weights to begin with")
    _path(judged, "penalties", "the folder that 'penalties' wrote")
    _path(judged, "vocabulary", "the SentencePiece model")
    _path(judged, "out", "the folder of the run: log, final.pt")
    _add(judged, "held-out", "", "PATTERN,...: sets to measure on and not to train on")
    _add(judged, "held-out-share", 0.0, "share of the segments of each other set, likewise")
    _add(judged, "measured", "", "PATTERN,...: sets to measure on besides")
    _add_judged_options(judged)


def _add_error_steps(steps: Any) -> None:
    comparisons = _step(steps, "comparisons", "encode relative rankings (daRR), to train order on")
    comparisons.add_argument("testsets", type=Path, nargs="+", help="with human.darr.tsv.xz")
    _path(comparisons, "out", "the folder of 'penalties'")
    _path(comparisons, "vocabulary", "the SentencePiece model")
    made = _step(steps, "translations", "packed text as outputs without error, to make errors in")
    _path(made, "packed", "the folder that 'pack' wrote")
    _path(made, "out", "the folder of 'penalties'")
    made.add_argument("--directions", required=True, help="XX-YY=ROWS,...; XX-XX are paraphrases")
    _add(made, "sets", "*", "PATTERN,...: the packed sets to take them from")
    _add(made, "fewest", 6, "pieces of a text; shorter ones are left out")
    _add(made, "seed", 1, "of the choice of rows")
    others = _step(
        steps, "alternatives", "sample words that could stand in others' place, for errors"
    )
    _path(others, "initial", "weights of the model that samples")
    _path(others, "penalties", "the folder of 'penalties'")
    _path(others, "vocabulary", "the SentencePiece model")
    _path(others, "out", "a folder for the same sets with alternatives")
    _add(others, "hidden", "0.5,0.8", "SHARE,...: how much of the condition is hidden, by sample")
    _add(others, "margin", 3.5, "nats by which an alternative may be less probable than the best")
    _add(others, "tokens", 65_536, "target tokens of a batch")
    _add(others, "seed", 1, "of all chance")
    _add(others, "device", "cpu", "cpu or cuda")


def _add_judged_options(judged: ArgumentParser) -> None:
    _add(judged, "steps", 600, "length of the run")
    _add(judged, "tokens", 65_536, "target tokens of a batch")
    _add(judged, "outputs", 8, "outputs of a segment in a batch, at most")
    _add(judged, "set-weights", "", "PATTERN=WEIGHT of sets, 1 unless given, ...")
    _add(judged, "rate", 1e-4, "learning rate of the model")
    _add(judged, "head-rate", 2e-3, "learning rate of the heads")
    _add(judged, "warm-up", 100, "steps until the rate is reached")
    _add(judged, "level-until", 0.0, "share of the run after which the rate falls")
    _add(judged, "frozen", "", "PATTERN,...: names of weights that keep their values")
    _add(judged, "ranking", 4.0, "weight of the order of outputs, against the size of penalties")
    _add(judged, "emphasis", 0.5, "how much more clear differences count: 0 is not at all")
    _add(judged, "kept", 1.0, "weight of staying near the initial probabilities")
    _add(judged, "surprise", 0.1, "weight of telling the initial model's surprise")
    _add(judged, "by-source", 0.5, "weight of the prediction from the source (0: it is not read)")
    _add(judged, "joined", 0.0, "share of segments read as one paragraph with the next ones")
    _add(judged, "broken", 0, "broken copies of outputs or references beside each segment")
    _add(judged, "marks", 20.0, "weight of the places of made errors")
    _add(judged, "whole", "", "PATTERN,...: sets whose references are not broken, to test with")
    _add(judged, "seed", 1, "of all chance")
    _add(judged, "workers", 0, "processes that make batches")
    _add(judged, "device", "cpu", "cpu or cuda")
    judged.add_argument("--compile", action="store_true", help="compile the model (on a GPU)")


def _add_sizes(parser: ArgumentParser) -> None:
    _add(parser, "device", "cpu", "cpu or cuda")
    _add(parser, "width", 512, "width of the model")
    _add(parser, "inner", 2048, "width of its feed-forward blocks")
    _add(parser, "heads", 8, "attention heads")
    _add(parser, "encoder-layers", 6, "layers of the encoder")
    _add(parser, "decoder-layers", 6, "layers of the decoder")
    _add(parser, "dropout", 0.1, "share of dropped activations")
    _add(parser, "tokens", 65_536, "target tokens of a batch")
    _add(parser, "source-tokens", 0, "source tokens of a batch (0: as many)")
    _add(parser, "longest", 512, "most pieces of an example, on either side")
    _add(parser, "document-share", 0.06, "share of examples of sentences joined by <sep>")
    _add(parser, "paragraph-share", 0.15, "share of examples of sentences joined by a space")
    _add(parser, "paragraph-sentences", 8, "most sentences of a paragraph")
    _add(parser, "noise-share", 0.3, "share of examples with noise on the source")
    _add(parser, "noise", "drop=.03,mask=.03,swap=.03,split=.1", "KIND=SHARE of their pieces, ...")
    _add(parser, "forgotten", 0.03, "share of its own output that the decoder does not see")
    parser.add_argument(
        "--variant",
        choices=("translation", "language-model", "denoising"),
        default="translation",
        help="what is trained: a translator, or one of the paper's contrastive models",
    )


def _add_train(parser: ArgumentParser) -> None:
    _path(parser, "packed", "the folder that 'pack' wrote; sets may arrive while the run goes on")
    _path(parser, "vocabulary", "the SentencePiece model")
    _path(parser, "out", "the folder of the run: log, checkpoints, final.pt; a run goes on there")
    _path(parser, "validation", "packed sets to tell the loss on, by direction", required=False)
    _path(parser, "judged", "judged sets to tell agreement with people on", required=False)
    _path(parser, "initial", "weights to begin with", required=False)
    parser.add_argument("--minutes", type=float, help="length of the run, or give --steps")
    parser.add_argument("--steps", type=int, help="length of the run, or give --minutes")
    _add(parser, "judged-segments", 150, "of each judged set; at the end of the run, all")
    _add(parser, "temperatures", "1", "for the judged sets at the end of the run: T,T,...")
    parser.add_argument("--compile", action="store_true", help="compile the model (on a GPU)")
    parser.add_argument("--optimiser", choices=("muon", "adamw"), default="muon", help="which")
    _add(parser, "matrix-rate", 3e-3, "learning rate of Muon, for the matrices")
    _add(parser, "rate", 2e-3, "learning rate of AdamW, for the rest")
    _add(parser, "warm-up", 400, "steps until the rate is reached")
    _add(parser, "level-until", 0.3, "share of the run after which the rate falls")
    _add(parser, "smoothing", 0.1, "label smoothing at the start of a target")
    _add(parser, "late-smoothing", 0.9, "label smoothing from the piece --late on")
    _add(parser, "late", 200, "see --late-smoothing; in between it rises in a straight line")
    _add(parser, "set-weights", "llm_*=0.3", "PATTERN=WEIGHT of sets, the first that fits, ...")
    _add(parser, "boost", "", "LANGUAGE=FACTOR for target languages, ...")
    _add(parser, "target-temperature", 2.0, "1 draws target languages as they come, more levels")
    _add(parser, "source-temperature", 1.3, "the same for the source languages of a target")
    _add(parser, "set-temperature", 1.15, "the same for the sets of a pair")
    _add(parser, "seed", 1, "of all chance")
    _add(parser, "workers", 0, "processes that make batches")
    _add(parser, "milestones", 20, "how often weights are kept and judged")
    _add(parser, "keep", 5, "how many of these weights stay, to be averaged")


def _add_weight_steps(steps: Any) -> None:
    average = _step(steps, "average", "average weights and make them small")
    average.add_argument("weights", type=Path, nargs="+", help="files, or the folder of a run")
    _path(average, "out", "the file to write")
    _add(average, "last", 3, "how many of a run's last weights")
    average.add_argument(
        "--form", choices=("float32", "float16", "int8"), default="float32", help="how to store"
    )
    split = _step(steps, "split", "cut a file into parts")
    split.add_argument("file", type=Path, help="the file to cut")
    _path(split, "out", "a folder")
    _add(split, "megabytes", 15, "most of a part")
    join = _step(steps, "join", "put parts together again")
    join.add_argument("parts", type=Path, nargs="+", help="all parts of a file")
    _path(join, "out", "the file to write")
    export = _step(steps, "export", "write the folder of a model, as 'prism(model=...)' takes it")
    export.add_argument("weights", type=Path, help="final.pt of a run, or what 'average' wrote")
    _path(export, "vocabulary", "the SentencePiece model")
    _path(export, "out", "the folder")
    export.add_argument("--name", required=True, help="the name of the model, in signatures")
    _add(export, "precision", "int8", "int8, float16, float32 ...")
    _add(export, "temperature", 1.0, "what logits are divided by for good")
