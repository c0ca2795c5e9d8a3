"""Metrics of isogloss for lm-evaluation-harness.

Import this module where a task is defined (``!function lm_eval_metric.process_results``), and name
the metrics in the task:

    process_results: !function lm_eval_metric.process_results
    metric_list:
      - metric: isogloss_chrf
        aggregation: !function lm_eval_metric.chrf
        higher_is_better: true
"""

import isogloss


def process_results(doc, results):
    """What is kept of a document: its reference, and what the model wrote."""
    return {"isogloss_chrf": (doc["reference"], results[0])}


def score(metric, items):
    """The corpus score of pairs of reference and output; no mean of segments."""
    references, outputs = zip(*items, strict=True)
    collection = isogloss.from_texts(None, list(references), {"model": list(outputs)})
    return isogloss.evaluate(collection, metric).rows[0].score


def chrf(items):
    """chrF of all pairs."""
    return score("chrf", items)
