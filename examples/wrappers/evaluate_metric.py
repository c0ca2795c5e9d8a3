"""A metric of isogloss for Hugging Face's ``evaluate``.

chrf = evaluate.load("examples/wrappers/evaluate_metric.py", "chrf")
chrf.compute(predictions=[...], references=[...])
"""

import datasets
import evaluate

import isogloss


class Isogloss(evaluate.Metric):
    """The metric that the configuration's name names; references may be lists of several."""

    def _info(self):
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description="A metric of isogloss, with its interval over segments and its signature.",
            citation="",
            features=[
                datasets.Features({"predictions": text, "references": text}),
                datasets.Features({"predictions": text, "references": datasets.Sequence(text)}),
            ],
        )

    def _compute(self, predictions, references):
        several = [[r] if isinstance(r, str) else list(r) for r in references]
        named = {f"ref{i}": list(lines) for i, lines in enumerate(zip(*several, strict=True))}
        collection = isogloss.from_texts(None, named, {"system": predictions})
        table = isogloss.evaluate(collection, self.config_name or "chrf")
        (comparison,) = isogloss.compare(table)
        (standing,) = comparison.standings
        return {
            "score": standing.score,
            "interval": standing.interval,
            "signature": table.metrics[0].signature,
        }
