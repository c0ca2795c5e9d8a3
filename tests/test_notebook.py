"""The notebooks of the docs run from the first cell to the last, and show what their words say."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).parents[1] / "docs"

# Of each notebook, what has to be among what the cell of that number shows.
SHOWN = {
    "notebook": {
        0: "8 documents, 53 segments",
        1: "<td>63.30</td>",
        2: "<th>cluster</th>",
        7: "('Hund', 'dog')",
        -1: "kB",
    },
    "tutorial-metric": {
        1: "<td>93.65</td>",
        4: "('audit-procurement', 0.0, ['dodavatele', 'Dodavatel', 'dodavateli'])",
        6: "document pearson\n  glossary   0.313  rank 2",
        -1: "kB",
    },
    "tutorial-documents": {
        2: "reference ref, system steady, system shifting, system tangled",
        4: "news-bridge · omitted · „Bez opravy bychom museli most do dvou let zavřít úplně",
        5: "<td>78.89</td>",
        7: "steady beats tangled by",
        8: "lease-flat: nájemce: renter ×2",
        -1: "kB",
    },
    "tutorial-people": {
        1: "30 documents show",
        3: "steady comes first",
        4: "<th>document acc-eq by item</th>",
        -1: "people.jsonl",
    },
}


def shown(cell: nbformat.NotebookNode) -> str:
    """What a cell prints and shows, as text and as HTML."""
    printed = [output["text"] for output in cell["outputs"] if "text" in output]
    data = [output["data"] for output in cell["outputs"] if "data" in output]
    texts = [text for each in data for kind, text in each.items() if kind.startswith("text/")]
    return "".join((*printed, *texts))


def test_every_notebook_is_run() -> None:
    assert sorted(SHOWN) == sorted(path.stem for path in DOCS.glob("*.ipynb"))


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_runs(name: str) -> None:
    notebook = nbformat.read(DOCS / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    results = [shown(cell) for cell in notebook.cells if cell["cell_type"] == "code"]
    for number, expected in SHOWN[name].items():
        assert expected in results[number]
