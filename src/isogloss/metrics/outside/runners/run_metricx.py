"""MetricX by transformers: the first step of an mT5 decoder, of which one logit is the score."""

from typing import Any

from speaking import Answer, Row, RunnerModel, device, digest, local, serve, versions

_SCORE_PIECE = 250089  # <extra_id_10>
_LIMITS = {"metricx-23": 1024, "metricx-24": 1536}
_LOWEST, _HIGHEST = 0.0, 25.0
_FORMS = {
    ("metricx-23", "reference"): "candidate: {output} reference: {reference}",
    ("metricx-23", "source"): "candidate: {output} source: {source}",
    ("metricx-24", "reference"): "source: {source} candidate: {output} reference: {reference}",
    ("metricx-24", "source"): "source: {source} candidate: {output}",
}


class MetricXModel(RunnerModel):
    """A checkpoint of google/metricx-*, with the tokeniser of its mT5."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.folder = local(options["model"])
        inputs = options.get("inputs", "metricx-24")
        self.form = _FORMS[inputs, options.get("against", "reference")]
        self.limit = _LIMITS[inputs]

    def load(self) -> None:
        from transformers import AutoTokenizer, MT5ForConditionalGeneration

        self.tokeniser = AutoTokenizer.from_pretrained(
            local(self.options.get("tokeniser") or self.folder)
        )
        self.device = device(self.options)
        self.model = MT5ForConditionalGeneration.from_pretrained(self.folder)
        self.model.eval().to(self.device)

    def about(self) -> dict[str, Any]:
        told = versions("transformers", "torch")
        return {"versions": told, "digest": digest(self.folder)}

    def _pieces(self, row: Row) -> list[int]:
        # The model learnt without the end mark.
        pieces = self.tokeniser(self.form.format(**row))["input_ids"]
        return list(pieces[:-1] if pieces[-1] == self.tokeniser.eos_token_id else pieces)

    def excess(self, row: Row) -> float:
        return len(self._pieces(row)) / self.limit

    def scores(self, rows: list[Row]) -> list[Answer]:
        return [{"score": self._score(row)} for row in rows]

    def _score(self, row: Row) -> float:
        import torch

        pieces = torch.tensor([self._pieces(row)], device=self.device)
        start = torch.zeros((1, 1), dtype=torch.long, device=self.device)
        with torch.no_grad():
            logits = self.model(input_ids=pieces, decoder_input_ids=start).logits
        return float(logits[0, 0, _SCORE_PIECE].clamp(_LOWEST, _HIGHEST))


serve(MetricXModel)
