"""BLEURT by the package bleurt-pytorch."""

from typing import Any

from speaking import Answer, Row, RunnerModel, device, digest, local, serve, versions

_BATCH = 16


class BleurtModel(RunnerModel):
    """A checkpoint that was converted for PyTorch."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.folder = local(options["model"])

    def load(self) -> None:
        from bleurt_pytorch import BleurtForSequenceClassification, BleurtTokenizer

        self.tokeniser = BleurtTokenizer.from_pretrained(self.folder)
        self.device = device(self.options)
        self.model = BleurtForSequenceClassification.from_pretrained(self.folder)
        self.model.eval().to(self.device)
        self.limit = min(self.tokeniser.model_max_length, self.model.config.max_position_embeddings)

    def about(self) -> dict[str, Any]:
        told = versions("bleurt-pytorch", "transformers", "torch")
        return {"versions": told, "digest": digest(self.folder)}

    def excess(self, row: Row) -> float:
        pair = self.tokeniser(row["reference"], row["output"])
        return len(pair["input_ids"]) / self.limit

    def scores(self, rows: list[Row]) -> list[Answer]:
        import torch

        found: list[Answer] = []
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            inputs = self.tokeniser(
                [row["reference"] for row in batch],
                [row["output"] for row in batch],
                padding="longest",
                return_tensors="pt",
            ).to(self.device)
            with torch.no_grad():
                values = self.model(**inputs).logits.flatten().tolist()
            found += [{"score": value} for value in values]
        return found


serve(BleurtModel)
