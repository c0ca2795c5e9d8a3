"""Finish a build of the pages: note what it was built from, and the licences of what is inside.

    python web/finish_build.py [PAGE ...]     after `npm run build`; ``make web`` does both

A test compares the notes with the sources, so that a stale build is found without Node.js.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

WEB = Path(__file__).parent
PAGES = ("report", "annotate")
SETTINGS = ("package.json", "tsconfig.json", "vite.config.ts")


def built(page: str) -> Path:
    """The folder with the build of a page."""
    return WEB.parent / "src" / "isogloss" / page / "app"


def notes(page: str) -> Path:
    """What the build was made from."""
    return built(page) / "build.json"


def licences_of(page: str) -> Path:
    """The licences of what is inside."""
    return built(page) / "LICENSES.txt"


def sources(page: str) -> list[Path]:
    """The files that decide what the build of a page looks like."""
    source = WEB / "src"
    files = [path for room in (page, "shared") for path in (source / room).rglob("*")]
    files.append(source / "generated" / f"{page}.ts")
    return [WEB / name for name in SETTINGS] + sorted(path for path in files if path.is_file())


def digest_of_sources(page: str) -> str:
    """SHA-256 over everything that decides what the build looks like."""
    sha = hashlib.sha256("\n".join(locked_versions()).encode())
    for path in sources(page):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        sha.update(f"{path.relative_to(WEB).as_posix()}\n{len(content)}\n".encode())
        sha.update(content)
    return sha.hexdigest()


def _locked() -> dict[str, dict[str, Any]]:
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    packages = lock["packages"].items()
    return {path.removeprefix("node_modules/"): entry for path, entry in packages if path}


def locked_versions() -> list[str]:
    """The packages of the lock file, without those that only some platforms need."""
    needed = (item for item in _locked().items() if not item[1].get("optional"))
    return sorted(f"{name} {entry['version']}" for name, entry in needed)


def digests_of_build(page: str) -> dict[str, str]:
    """SHA-256 of each built file."""
    files = sorted(path for path in built(page).iterdir() if path.suffix in (".css", ".js"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def bundled_packages() -> list[str]:
    """The packages whose code is in the build: those that are not for development only."""
    return [name for name, entry in _locked().items() if not entry.get("dev")]


def licences() -> str:
    """The licence texts of the bundled packages, one after the other."""
    parts = ["The programs of the pages contain the following packages.\n"]
    for name in bundled_packages():
        folder = WEB / "node_modules" / name
        version = json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
        text = next(folder.glob("LICENSE*")).read_text(encoding="utf-8").strip()
        parts.append(f"{'=' * 72}\n{name} {version}\n\n{text}\n")
    return "\n".join(parts)


def finish(page: str) -> None:
    """Write the notes and the licences beside the build of a page."""
    found = {"sources": digest_of_sources(page), "files": digests_of_build(page)}
    notes(page).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    licences_of(page).write_text(licences(), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        finish(name)
