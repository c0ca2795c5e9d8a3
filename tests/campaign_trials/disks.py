"""A small disk of its own: a file system in memory, with ballast that can be thrown out."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 1 << 20


def why_no_disk() -> str:
    """Why no file system can be mounted here; empty where one can be."""
    if os.geteuid() != 0:
        return "only root may mount a small file system"
    try:
        with small_disk(MEGABYTE):
            return ""
    except subprocess.CalledProcessError as error:
        return f"no small file system can be mounted here: {error.stderr.strip()}"


@dataclass(frozen=True)
class Disk:
    """A file system with so much room."""

    folder: Path

    def load(self, size: int) -> None:
        """Take room away."""
        (self.folder / "ballast").write_bytes(bytes(size))

    def fill(self) -> None:
        """Take all of it away."""
        state = os.statvfs(self.folder)
        self.load(state.f_bavail * state.f_bsize)

    def unload(self) -> None:
        """Give it back."""
        (self.folder / "ballast").unlink()


@contextmanager
def small_disk(size: int) -> Iterator[Disk]:
    """A disk that is there until the end of the block."""
    with tempfile.TemporaryDirectory(prefix="isogloss-disk-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
        subprocess.run(mount, check=True, capture_output=True, text=True)
        try:
            yield Disk(Path(folder))
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
