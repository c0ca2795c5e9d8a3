"""Checkpoints that are watched, and the examples that log them."""

import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import InputError, MismatchError

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="module")
def collection() -> isogloss.Collection:
    return isogloss.load_sample("cs-en")


def test_checkpoints_are_compared_with_the_best(collection: isogloss.Collection) -> None:
    told: list[tuple[dict[str, float], int]] = []
    watch = isogloss.Watch(
        collection, "ter,chrf", log=lambda scores, step: told.append((scores, step))
    )
    by_name = {output.name: output.documents for output in collection.outputs}
    assert watch.best is None
    found = [watch(i, by_name[n]) for i, n in enumerate(["tangled", "steady", "tangled"], 1)]
    assert [each.better for each in found] == [None, True, False]
    assert watch.best is found[1]
    assert watch.stale() == 1
    table = isogloss.evaluate(collection, "ter,chrf")
    assert told[1] == ({m: table[m, "steady"].score for m in ("ter", "chrf")}, 2)
    pair = isogloss.compare(table, ["ter"])[0].pair("steady", "tangled")
    assert found[1].p == pair.p
    flat = [text for lines in by_name["steady"].values() for text in lines]
    assert watch(4, flat).better is None
    with pytest.raises(InputError, match="step 4 was scored already"):
        watch(4, flat)
    with pytest.raises(MismatchError, match="wrote 52 segments, the test set has 53"):
        watch(5, flat[1:])


def run(script: str, *arguments: str, **environment: str) -> str:
    beside = Path(sys.prefix) / "integrations" / "bin" / "python"  # of .ci/integrations
    interpreter = beside if beside.exists() else sys.executable
    done = subprocess.run(
        [interpreter, str(EXAMPLES / "training" / script), *arguments],
        capture_output=True, text=True, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tensorboard_has_the_scores(collection: isogloss.Collection, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    assert "better: True" in run("log_to_tensorboard.py", str(tmp_path))
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(tmp_path))
    events.Reload()
    table = isogloss.evaluate(collection, "chrf")
    scalars = {event.step: event.value for event in events.Scalars("isogloss/chrf")}
    expected = {1000: "tangled", 2000: "shifting", 3000: "steady"}
    assert scalars == {
        step: pytest.approx(table["chrf", name].score) for step, name in expected.items()
    }


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of mlflow's ways with SQLAlchemy
def test_mlflow_has_the_scores(tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    pytest.importorskip("alembic", reason="alembic, with which mlflow keeps runs, is missing")
    run("log_to_mlflow.py", str(tmp_path / "runs.db"))
    client = mlflow.MlflowClient(f"sqlite:///{tmp_path / 'runs.db'}")
    (experiment,) = client.search_experiments(filter_string="name = 'translation'")
    (found,) = client.search_runs([experiment.experiment_id])
    assert found.data.params == {"best_step": "3000"}
    history = client.get_metric_history(found.info.run_id, "chrf")
    assert [each.step for each in history] == [1000, 2000, 3000]


def test_wandb_has_the_scores(tmp_path: Path) -> None:
    pytest.importorskip("wandb", reason="wandb is not installed")
    run("log_to_wandb.py", str(tmp_path), WANDB_SILENT="true")
    assert list(tmp_path.rglob("*.wandb"))


def wrapper(name: str) -> dict[str, Any]:
    return runpy.run_path(str(EXAMPLES / "wrappers" / name))


def test_a_metric_for_evaluate(collection: isogloss.Collection) -> None:
    evaluate = pytest.importorskip("evaluate", reason="Hugging Face's evaluate is not installed")
    outputs = ["the cat sat", "a dog"]
    metric = evaluate.load(str(EXAMPLES / "wrappers" / "evaluate_metric.py"), "chrf")
    found = metric.compute(predictions=outputs, references=["the cat sat", "the dog"])
    ours = isogloss.from_texts(None, ["the cat sat", "the dog"], {"s": outputs})
    assert found["score"] == isogloss.evaluate(ours, "chrf").rows[0].score
    assert found["signature"].startswith("chrf|nrefs:1")


def test_a_metric_for_lm_eval() -> None:
    names = wrapper("lm_eval_metric.py")
    items = [("the cat sat", "the cat"), ("the dog", "the dog")]
    kept = [names["process_results"]({"reference": r}, [o])["isogloss_chrf"] for r, o in items]
    import sacrebleu

    theirs = sacrebleu.corpus_chrf([o for _, o in items], [[r for r, _ in items]]).score
    assert names["chrf"](kept) == pytest.approx(theirs)


TASK = """
task: translated
dataset_path: json
dataset_kwargs: {{data_files: {{test: {data}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{source}}}}"
doc_to_target: "{{{{reference}}}}"
generation_kwargs: {{until: ["\\n"]}}
process_results: !function lm_eval_metric.process_results
metric_list:
  - metric: isogloss_chrf
    aggregation: !function lm_eval_metric.chrf
    higher_is_better: true
"""


@pytest.mark.filterwarnings("ignore")
def test_a_task_of_lm_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lm_eval = pytest.importorskip("lm_eval", reason="lm-evaluation-harness is not installed")
    from lm_eval.tasks import TaskManager

    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    (tmp_path / "data.jsonl").write_text(
        '{"source": "Hund", "reference": "a dog"}\n{"source": "lol", "reference": "lol"}\n'
    )
    example = EXAMPLES / "wrappers" / "lm_eval_metric.py"
    (tmp_path / "lm_eval_metric.py").write_text(example.read_text())
    (tmp_path / "translated.yaml").write_text(TASK.format(data=tmp_path / "data.jsonl"))
    tasks = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = lm_eval.simple_evaluate("dummy", tasks=["translated"], task_manager=tasks)
    ours = isogloss.from_texts(None, ["a dog", "lol"], {"dummy": ["lol", "lol"]})
    expected = isogloss.evaluate(ours, "chrf").rows[0].score
    assert found["results"]["translated"]["isogloss_chrf,none"] == pytest.approx(expected)
