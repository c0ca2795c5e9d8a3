"""Documents that were chosen for a campaign, with the chances they had: ``selection.tsv``.

It lies beside ``campaign.toml``, with a row for each document of the test set; results weight
documents by it. ``testset.jsonl`` beside it holds the texts of the chosen ones.
"""

from collections.abc import Mapping
from pathlib import Path

from isogloss.annotate.campaign import CAMPAIGN_FILE
from isogloss.destination import write_file
from isogloss.documents import Collection
from isogloss.errors import FormatError, shown_path
from isogloss.formats import read_lines, write_collection
from isogloss.planning import Selection

SELECTION_FILE = "selection.tsv"
CHOSEN_FILE = "testset.jsonl"
_COLUMNS = ("document", "chosen", "chance")


def write_selection(selection: Selection, collection: Collection, folder: Path) -> Path:
    """Write down which documents were chosen, and their texts; the path of the latter."""
    chosen = set(selection.chosen)
    lines = ["\t".join(_COLUMNS)]
    for document, chance in selection.chances.items():
        lines.append(f"{document}\t{'yes' if document in chosen else 'no'}\t{chance!r}")
    write_collection(collection.with_documents(selection.chosen), folder / CHOSEN_FILE, "jsonl")
    write_file(folder / SELECTION_FILE, "".join(f"{line}\n" for line in lines).encode())
    return folder / CHOSEN_FILE


def selection_weights(campaign: Path) -> Mapping[str, float]:
    """How many documents each chosen one stands for; nothing where all stand for as many."""
    folder = campaign if campaign.is_dir() else campaign.parent
    path = folder / SELECTION_FILE
    if not (folder / CAMPAIGN_FILE).exists() or not path.exists():
        return {}
    header, *rows = [line.split("\t") for line in read_lines(path)]
    if tuple(header) != _COLUMNS:
        raise FormatError(f"the columns should be {', '.join(_COLUMNS)}", path=path, line=1)
    found = {}
    for number, row in enumerate(rows, 2):
        try:
            document, chosen, chance = row
            weight = 1 / float(chance)
        except (ValueError, ZeroDivisionError):
            what = f"{shown_path(path)} needs a document, yes or no, and a chance above 0"
            raise FormatError(what, path=path, line=number) from None
        if chosen == "yes":
            found[document] = weight
    return found if len(set(found.values())) > 1 else {}
