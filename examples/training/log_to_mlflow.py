"""Scores of checkpoints in MLflow, with the score file: ``python log_to_mlflow.py mlflow.db``."""

import sys
import tempfile
from pathlib import Path

import mlflow

import isogloss


def main(database: str) -> None:
    """Three systems of the sample stand for three checkpoints."""
    collection = isogloss.load_sample("cs-en")
    mlflow.set_tracking_uri(f"sqlite:///{Path(database).absolute()}")
    mlflow.set_experiment("translation")
    with mlflow.start_run(), tempfile.TemporaryDirectory() as folder:
        watch = isogloss.Watch(collection, "chrf,bleu", log=mlflow.log_metrics)
        for step, output in enumerate(reversed(collection.outputs), start=1):
            watch(1000 * step, output.documents)
        for metric in watch.best.table.metrics:
            mlflow.set_tag(f"signature.{metric.name}", metric.signature)
        isogloss.write_scores(watch.best.table, Path(folder, "best.jsonl"))
        mlflow.log_param("best_step", watch.best.step)


if __name__ == "__main__":
    main(sys.argv[1])
