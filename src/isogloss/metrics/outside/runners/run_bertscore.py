"""BERTScore by the package bert-score."""

from typing import Any

from speaking import Answer, Row, RunnerModel, device, digest, local, serve, versions


class BertScoreModel(RunnerModel):
    """A scorer of bert-score, without idf weights and without rescaling."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.folder = local(options["model"])
        self.layers = options.get("layers")
        if self.layers is None:
            self.layers = _usual_layers(options["model"], self.folder)

    def load(self) -> None:
        import bert_score
        from transformers import AutoConfig

        config = AutoConfig.from_pretrained(self.folder)
        self.scorer = bert_score.BERTScorer(
            model_type=self.folder, num_layers=self.layers, device=device(self.options)
        )
        tokeniser = self.scorer._tokenizer
        positions = config.max_position_embeddings
        if config.model_type in ("roberta", "xlm-roberta", "camembert"):
            positions -= 2  # positions begin behind the padding's
        self.limit = min(tokeniser.model_max_length, positions)
        # bert-score cuts at the tokeniser's limit, which not every model's files name.
        tokeniser.model_max_length = self.limit
        self.tokeniser = tokeniser

    def about(self) -> dict[str, Any]:
        told = {**versions("bert-score", "transformers", "torch"), "layers": str(self.layers)}
        return {"versions": told, "digest": digest(self.folder)}

    def excess(self, row: Row) -> float:
        sides = (row["output"], row["reference"])
        return max(len(self.tokeniser.encode(text.strip())) for text in sides) / self.limit

    def scores(self, rows: list[Row]) -> list[Answer]:
        if not rows:
            return []
        found = self.scorer.score([r["output"] for r in rows], [r["reference"] for r in rows])
        which = ("precision", "recall", "f").index(self.options.get("value", "f"))
        return [{"score": float(value)} for value in found[which]]


def _usual_layers(model: str, folder: str) -> int:
    """What the package chose for a model it knows, or else all of them."""
    from bert_score.utils import model2layers
    from transformers import AutoConfig

    layers: int = model2layers.get(model) or AutoConfig.from_pretrained(folder).num_hidden_layers
    return layers


serve(BertScoreModel)
