"""The notebook of the docs runs from its first cell to its last."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

PAGE = Path(__file__).parents[1] / "docs" / "notebook.ipynb"


def shown(cell: nbformat.NotebookNode) -> str:
    """What a cell shows, as text and as HTML."""
    data = [output["data"] for output in cell["outputs"] if "data" in output]
    return "".join(text for each in data for kind, text in each.items() if kind.startswith("text/"))


def test_the_notebook_runs() -> None:
    notebook = nbformat.read(PAGE, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    results = [shown(cell) for cell in notebook.cells if cell["cell_type"] == "code"]
    assert "8 documents, 53 segments" in results[0]
    assert "<td>63.30</td>" in results[1]
    assert "<th>cluster</th>" in results[2]
    assert "('Hund', 'dog')" in results[7]
    assert results[-1].rstrip("'").endswith("kB")
