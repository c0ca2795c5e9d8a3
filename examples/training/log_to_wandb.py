"""Scores of checkpoints in Weights & Biases, offline: ``python log_to_wandb.py folder``."""

import sys

import wandb

import isogloss


def main(folder: str) -> None:
    """Three systems of the sample stand for three checkpoints."""
    collection = isogloss.load_sample("cs-en")
    with wandb.init(project="translation", mode="offline", dir=folder) as run:
        watch = isogloss.Watch(collection, "chrf,bleu", log=run.log)
        for step, output in enumerate(reversed(collection.outputs), start=1):
            watch(1000 * step, output.documents)
        run.summary["best step"] = watch.best.step
        run.config["signatures"] = [metric.signature for metric in watch.best.table.metrics]


if __name__ == "__main__":
    main(sys.argv[1])
