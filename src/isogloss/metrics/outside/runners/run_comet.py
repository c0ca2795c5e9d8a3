"""COMET, CometKiwi and XCOMET by the package unbabel-comet."""

from pathlib import Path
from typing import Any

from speaking import Answer, Row, RunnerModel, device, digest, local, serve, versions

_ROLES = {"source": "src", "output": "mt", "reference": "ref"}


class CometModel(RunnerModel):
    """A checkpoint."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        import comet

        path = Path(local(options["model"]))
        if path.is_dir():
            path = path / "checkpoints" / "model.ckpt"
        self.path = path
        self.model = comet.load_from_checkpoint(str(path), local_files_only=True)
        self.model.eval()
        self.encoder = self.model.encoder
        self.limit = self.encoder.max_positions - 2
        # Unified models (XCOMET, CometKiwi) read all sides as one text.
        self.together = hasattr(self.model, "input_segments") or hasattr(
            self.model.hparams, "input_segments"
        )

    def about(self) -> dict[str, Any]:
        told = versions("unbabel-comet", "transformers", "torch")
        return {"versions": told, "digest": digest(str(self.path)), "limit": self.limit}

    def excess(self, row: Row) -> float:
        lengths = [len(self.encoder.tokenizer(text)["input_ids"]) for text in row.values()]
        if not self.together:
            return max(lengths) / self.limit
        return (sum(lengths) + 4) / (self.limit + 2)

    def scores(self, rows: list[Row]) -> list[Answer]:
        if not rows:
            return []
        samples = [{_ROLES[side]: text for side, text in row.items()} for row in rows]
        gpus = 1 if device(self.options) == "cuda" else 0
        kind = "gpu" if gpus else "cpu"
        found = self.model.predict(
            samples, batch_size=8, gpus=gpus, accelerator=kind, num_workers=0, progress_bar=False
        )
        answers: list[Answer] = [{"score": float(score)} for score in found["scores"]]
        spans = getattr(found.get("metadata"), "error_spans", None)
        for answer, own in zip(answers, spans or ()):  # noqa: B905
            answer["marks"] = [
                {"start": s["start"], "end": s["end"], "reason": f"{s['severity']} error",
                 "value": float(s.get("confidence", 0))}
                for s in own
            ]  # fmt: skip
        return answers


serve(CometModel)
