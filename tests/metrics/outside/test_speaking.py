"""What the runners share: texts that are too long are cut, and nothing of them is lost."""

import importlib.util
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.metrics.outside.runner import RUNNERS


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("speaking", RUNNERS / "speaking.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


speaking = loaded()


class Words(speaking.RunnerModel):  # type: ignore[name-defined,misc]
    """Reads ten words at once; a row's score is how many its output has."""

    def about(self) -> dict[str, object]:
        return {"counts": "words"}

    def load(self) -> None:
        """Nothing is loaded to count words."""

    def excess(self, row: dict[str, str]) -> float:
        return max(len(text.split()) for text in row.values()) / 10

    def scores(self, rows: list[dict[str, str]]) -> list[dict[str, object]]:
        assert all(self.excess(row) <= 1 for row in rows)
        return [{"score": len(row["output"].split()),
                 "marks": [{"start": 0, "end": 1, "reason": "r"}]} for row in rows]  # fmt: skip


@given(st.text(alphabet="ab c", max_size=200), st.integers(1, 9))
def test_parts_make_up_the_text(text: str, count: int) -> None:
    parts = speaking.cut(text, count)
    assert len(parts) == count
    assert "".join(parts) == text


def test_long_rows_are_scored_in_parts() -> None:
    short = {"source": "a b", "output": "c d e"}
    long = {"source": "word " * 25, "output": "other " * 12}
    one, two = speaking.answered(Words({}), [short, long])
    assert one == {"score": 3, "marks": [{"start": 0, "end": 1, "reason": "r"}]}
    assert two["parts"] == 3
    assert two["score"] == pytest.approx(4)
    assert [mark["start"] for mark in two["marks"]] == [0, 24, 48]
    (refused,) = speaking.answered(Words({"long": "error"}), [long])
    assert refused["score"] is None
    assert "longer than the model reads" in refused["reason"]
