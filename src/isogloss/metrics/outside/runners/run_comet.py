"""COMET, CometKiwi and XCOMET by the package unbabel-comet."""

from pathlib import Path
from typing import Any

from speaking import Answer, Row, RunnerModel, device, digest, local, serve, versions

_POINTS = {"minor": 1.0, "major": 5.0, "critical": 10.0}  # as XCOMET counts its own spans
_ROLES = {"source": "src", "output": "mt", "reference": "ref"}


class CometModel(RunnerModel):
    """A checkpoint."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        path = Path(local(options["model"]))
        if path.is_dir():
            path = path / "checkpoints" / "model.ckpt"
        self.path = path

    def load(self) -> None:
        import comet

        self.model = comet.load_from_checkpoint(str(self.path), local_files_only=True)
        self.model.eval()
        self.encoder = self.model.encoder
        self.limit = self.encoder.max_positions - 2
        # Unified models (XCOMET, CometKiwi) read all sides as one text.
        sides = getattr(self.model.hparams, "input_segments", None)
        self.together = sides is not None
        needs_reference = self.model.requires_references()
        reads_reference = needs_reference if sides is None else "ref" in sides
        by_source = self.options.get("against") == "source"
        if by_source and needs_reference:
            raise ValueError("this checkpoint needs references: leave out against=source")
        if not by_source and not reads_reference:
            raise ValueError("this checkpoint reads no reference: add against=source")

    def about(self) -> dict[str, Any]:
        told = versions("unbabel-comet", "transformers", "torch")
        return {"versions": told, "digest": digest(str(self.path))}

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
                {"start": s["start"], "end": s["end"], "reason": f"error, {s['severity']}",
                 "value": _POINTS[s["severity"]]}
                for s in own
            ]  # fmt: skip
        return answers


serve(CometModel)
