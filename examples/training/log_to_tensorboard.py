"""Scores of checkpoints in TensorBoard: ``python log_to_tensorboard.py runs``."""

import sys

from torch.utils.tensorboard import SummaryWriter

import isogloss


def main(folder: str) -> None:
    """Three systems of the sample stand for three checkpoints."""
    collection = isogloss.load_sample("cs-en")
    with SummaryWriter(folder) as writer:

        def log(scores, step):
            for name, score in scores.items():
                writer.add_scalar(f"isogloss/{name}", score, step)

        watch = isogloss.Watch(collection, "chrf,bleu", log=log)
        for step, output in enumerate(reversed(collection.outputs), start=1):
            checkpoint = watch(1000 * step, output.documents)
            print(checkpoint.step, checkpoint.scores, "better:", checkpoint.better)


if __name__ == "__main__":
    main(sys.argv[1])
