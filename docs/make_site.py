"""Build the website: ``make docs-site``, or python docs/make_site.py [--into FOLDER] [--keep].

The pages are the README, those of docs/ and the project's own; notebooks are run; the reference of
the API comes from docstrings, the gallery from the program. A link that leads nowhere is an error.
The site lies in the package, so that a wheel that is built then carries it.
"""

import argparse
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from isogloss.sample import sample_path

ROOT = Path(__file__).parents[1]
RUN = ROOT / "build" / "run"  # what takes long: notebooks and the gallery
PAGES = ROOT / "build" / "pages"
SITE = ROOT / "src" / "isogloss" / "site"

Navigation = list[dict[str, object]]

# Pages at the root of the repository, and what they are called on the site.
PROJECT = {
    "CHANGELOG.md": "Changes",
    "CONTRIBUTING.md": "Contributing",
    "CODE_OF_CONDUCT.md": "Conduct",
    "SECURITY.md": "Security",
}

# The rooms whose doors other programs enter, besides `isogloss` itself.
ROOMS = {
    "metrics": "Metrics",
    "formats": "Formats",
    "comparison": "Comparison",
    "explanation": "Explanation",
    "metaeval": "Meta-evaluation",
    "alignment": "Word alignment",
    "language": "Languages",
    "model": "Models",
    "segmentation": "Whole documents",
    "report": "The report",
    "scale": "Many machines",
}


def main() -> None:
    """Gather the pages, then let MkDocs build them."""
    parser = argparse.ArgumentParser(description="Build the website.")
    parser.add_argument("--into", type=Path, default=SITE, help="folder of the site")
    parser.add_argument("--keep", action="store_true", help="run notebooks and gallery no more")
    arguments = parser.parse_args()
    into = arguments.into.resolve()
    if not (arguments.keep and (RUN / "gallery").is_dir()):
        shutil.rmtree(RUN, ignore_errors=True)
        run_notebooks()
        fill_gallery()
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(RUN, PAGES)
    (PAGES / "reference").mkdir()
    navigation = [
        *written_pages(),
        {"Python": list(reference_pages())},
        {"Gallery": gallery_page()},
        {"Project": list(project_pages())},
    ]
    sys.exit(built(PAGES, navigation, into))


def built(pages: Path, navigation: Navigation, into: Path) -> str | None:
    """Build the site of these pages; says what is wrong with them, if anything is."""
    settings = {"INHERIT": str(ROOT / "mkdocs.yml"), "docs_dir": str(pages), "site_dir": str(into)}
    config = pages.with_suffix(".yml")
    config.write_text(json.dumps({**settings, "nav": navigation}), "utf-8")  # JSON is YAML, too
    # Not with --quiet, under which --strict counts no warnings.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config)]
    paths = os.pathsep.join((str(ROOT / "docs"), *filter(None, sys.path)))
    environment = {**os.environ, "PYTHONPATH": paths, "NO_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(  # noqa: S603
        command, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode == 0:
        return None
    told = [line for line in done.stderr.splitlines() if not line.startswith("INFO")]
    return "\n".join(told) or "the site was not built"


def written_pages() -> Navigation:
    """The pages for readers, in the groups of the README, and the files that they speak of."""
    for source in (ROOT / "docs").iterdir():
        if source.suffix == ".md":
            (PAGES / source.name).write_text(as_page(source.read_text("utf-8")), "utf-8")
        elif source.suffix in (".svg", ".css"):
            shutil.copy(source, PAGES)
    shutil.copytree(ROOT / "docs" / "screenshots", PAGES / "screenshots")
    shutil.copytree(ROOT / "examples", PAGES / "examples", ignore=shutil.ignore_patterns("__*"))
    readme = (ROOT / "README.md").read_text("utf-8")
    (PAGES / "index.md").write_text(as_page(readme), "utf-8")
    return [{"Overview": "index.md"}, *groups(readme)]


def groups(readme: str) -> Iterator[dict[str, object]]:
    """The groups under "Read on" with their pages, by the names that they have there."""
    _, _, listed = readme.partition("## Read on")
    for part in re.split(r"^### ", listed, flags=re.M)[1:]:
        rows = re.findall(r"^\| \[([^\]]+)\]\(docs/([^)]+)\) \|", part, re.M)
        yield {part.partition("\n")[0]: [{name: as_markdown(path)} for name, path in rows]}


def as_page(text: str) -> str:
    """A page as one of the site, where all lie side by side."""
    return re.sub(r"\[([^\]]+)\]\((?!http|#)([^)]+)\)", link_of_site, text)


def link_of_site(found: re.Match[str]) -> str:
    """A link of a page of docs/ or of the root; what is not on the site stays a name."""
    name, target = found.groups()
    path = as_markdown(target.removeprefix("../").removeprefix("docs/"))
    file = path.partition("#")[0]
    if file in PROJECT:
        return f"[{name}]({path.lower()})"
    is_elsewhere = target.startswith("../") and not file.startswith("examples/")
    return name if is_elsewhere or file == "LICENSE" else f"[{name}]({path})"


def as_markdown(path: str) -> str:
    """Notebooks are pages like the others here."""
    return path.replace(".ipynb", ".md")


def run_notebooks() -> None:
    """The notebooks of docs/ as pages, with what their cells show."""
    from nbconvert.exporters import MarkdownExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    exporter = MarkdownExporter()
    exporter.register_preprocessor(ExecutePreprocessor(timeout=300), enabled=True)
    RUN.mkdir(parents=True)
    for notebook in sorted((ROOT / "docs").glob("*.ipynb")):
        named = {"unique_key": notebook.stem}  # what pictures are called
        text, resources = exporter.from_filename(str(notebook), resources=named)
        (RUN / f"{notebook.stem}.md").write_text(text, "utf-8")
        for name, data in resources["outputs"].items():
            (RUN / name).write_bytes(data)


def project_pages() -> Navigation:
    """What people who work on isogloss read."""
    for name in PROJECT:
        text = (ROOT / name).read_text("utf-8")
        (PAGES / name.lower()).write_text(as_page(text), "utf-8")
    return [{title: name.lower()} for name, title in PROJECT.items()]


def reference_pages() -> Iterator[dict[str, object]]:
    """The API from its docstrings: what `isogloss` offers, then room by room."""
    shown: set[str] = set()
    for room, title in {"": "isogloss", **ROOMS}.items():
        door = f"isogloss.{room}".rstrip(".")
        names = [place for place in offered(door) if place not in shown]
        shown.update(names)
        path = f"reference/{room or 'isogloss'}.md"
        told = (import_module(door).__doc__ or "").partition("\n\n")[0]
        entries = "".join(f"::: {place}\n\n" for place in names)
        (PAGES / path).write_text(f"# `{door}`\n\n{told}\n\n{entries}", "utf-8")
        yield {title: path}
    (PAGES / "reference" / "errors.md").write_text("# `isogloss.errors`\n\n::: isogloss.errors\n")
    yield {"Errors": "reference/errors.md"}


def offered(door: str) -> Iterator[str]:
    """The whole names of what a door offers: functions, then classes, where they are defined."""
    room = import_module(door)
    for thing in sorted((getattr(room, name) for name in room.__all__), key=inspect.isclass):
        if callable(thing) and getattr(thing, "__module__", "").startswith("isogloss"):
            yield f"{thing.__module__}.{thing.__qualname__}"


SAMPLE, OTHER = sample_path("cs-en"), sample_path("zh-en")
_METRICS = "bleu,chrf,ter,prism,cohesion,ltcr"

# The page, what it is, what it shows, and the commands that make it.
GALLERY = (
    (
        "report.html",
        "A report",
        "Systems, documents, texts, and the evidence behind the scores.",
        f"isogloss evaluate {SAMPLE} -m {_METRICS} --save scores.jsonl --report report.html",
    ),
    (
        "several.html",
        "Several test sets",
        "One page with an overview over all of them.",
        f"isogloss evaluate {OTHER} -m {_METRICS} --save other.jsonl\n"
        f"isogloss report scores.jsonl other.jsonl -t {SAMPLE} -t {OTHER} -O several.html",
    ),
    (
        "why.html",
        "Why one system is better than another",
        "A paragraph in which every clause is linked to its evidence.",
        f"isogloss explain steady tangled scores.jsonl --testset {SAMPLE} -o html > why.html",
    ),
    (
        "links.html",
        "Word links",
        "Words and the words that stand for them.",
        f"isogloss align {SAMPLE} --of steady --html links.html > links.txt",
    ),
)


def fill_gallery() -> None:
    """Run the commands of the gallery."""
    folder = RUN / "gallery"
    folder.mkdir()
    for _, _, _, commands in GALLERY:
        for command in commands.splitlines():
            run(command, folder)
    for path in folder.iterdir():
        if path.suffix != ".html":
            path.unlink()


def gallery_page() -> str:
    """Pages that the program makes of its samples, each with the commands that make it."""
    parts = ["# Gallery\n", "Pages that isogloss makes of the samples that come along.\n"]
    for page, title, told, commands in GALLERY:
        shown = commands.replace(str(SAMPLE), "testset.toml").replace(str(OTHER), "other.toml")
        address = f"gallery/{page}"
        frame = f'<iframe src="{address}" title="{title}" loading="lazy"></iframe>'
        text = f"{told} [Open it by itself]({address})."
        shown = re.sub(r" (--|-[mto] )", r" \\\n  \1", shown)  # an option a line
        parts.append(f"## {title}\n\n{text}\n\n```console\n{shown}\n```\n\n{frame}\n")
    (PAGES / "gallery.md").write_text("\n".join(parts), "utf-8")
    return "gallery.md"


def run(command: str, folder: Path) -> None:
    """Run a command of the gallery with the program of this environment."""
    words, _, target = command.partition(" > ")
    arguments = [sys.executable, "-m", *words.split()]
    done = subprocess.run(arguments, cwd=folder, capture_output=True)  # noqa: S603
    if done.returncode:
        sys.exit(f"{command}: {done.stderr.decode()}")
    if target:
        (folder / target).write_bytes(done.stdout)


if __name__ == "__main__":
    main()
