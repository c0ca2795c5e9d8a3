"""Outputs arrive whole, through links, into pipes and devices, and never in place of them."""

import errno
import os
import re
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from isogloss import destination
from isogloss.destination import file_to_be, folder_to_be, make_folder, write_file, write_folder
from isogloss.errors import InputError
from ordinary_user import as_ordinary_user


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody can get into, which those of pytest are not."""
    with TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


def leftovers(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.endswith(".part")]


def full_disk(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_file_is_written_and_its_folders_are_made(tmp_path: Path) -> None:
    write_file(tmp_path / "new" / "folder" / "a.txt", b"one")
    assert (tmp_path / "new" / "folder" / "a.txt").read_bytes() == b"one"
    assert os.listdir(tmp_path / "new" / "folder") == ["a.txt"]


def test_a_new_file_has_the_permissions_that_the_umask_gives(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "a", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_an_old_file_keeps_its_permissions_and_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(0o604)
    if os.geteuid() == 0:
        os.chown(path, 1234, 2345)
    before = path.stat()
    write_file(path, b"new")
    after = path.stat()
    assert path.read_bytes() == b"new"
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_a_symbolic_link_stays_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"old")
    (tmp_path / "second").symlink_to("real/a")
    (tmp_path / "first").symlink_to("second")
    write_file(tmp_path / "first", b"new")
    assert (tmp_path / "first").is_symlink()
    assert (tmp_path / "second").is_symlink()
    assert (tmp_path / "real" / "a").read_bytes() == b"new"


def test_a_link_to_nothing_yet_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "to" / "come")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "to" / "come").read_bytes() == b"new"


def test_a_name_as_long_as_names_can_be_is_written(tmp_path: Path) -> None:
    write_file(tmp_path / ("n" * 255), b"x")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"x"


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"x" * 200_000)
    reader.join(10)
    assert got == [b"x" * 200_000]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_device_is_told_and_stays(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/full")
    for path in (Path("/dev/full"), link):
        with pytest.raises(InputError, match=rf"^{path}: cannot be written \(the disk is full\)$"):
            write_file(path, b"x")
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    assert link.is_symlink()
    write_file(Path("/dev/null"), b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can make a device")
def test_a_device_is_not_replaced_even_by_the_superuser(tmp_path: Path) -> None:
    device = tmp_path / "full"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        os.close(os.open(device, os.O_WRONLY))
    except PermissionError:
        pytest.skip("devices cannot be made or used here")
    with pytest.raises(InputError, match="the disk is full"):
        write_file(device, b"x")
    assert stat.S_ISCHR(device.stat().st_mode)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (".", "it is a folder"),
        ("file/below", "a part of its path is a file, not a folder"),
        ("file/far/below", "a part of its path is a file, not a folder"),
        ("n" * 256, "the name is too long"),
        ("round", "its symbolic links go round in a circle"),
    ],
)
def test_what_cannot_be_written_is_told_in_a_line(tmp_path: Path, path: str, reason: str) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(InputError, match=rf"cannot be written \({reason}\)$") as told:
        write_file(tmp_path / path, b"x")
    assert len(str(told.value)) < 400
    assert (tmp_path / "file").read_bytes() == b"old"
    assert not leftovers(tmp_path)


def test_an_impossible_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a possible file name"):
        write_file(tmp_path / "a\0b", b"x")


def test_what_may_not_be_written_is_not(open_folder: Path) -> None:
    folder = open_folder
    folder.chmod(0o755)
    (folder / "mine").write_bytes(b"old")
    (folder / "mine").chmod(0o444)
    if os.geteuid() != 0:
        folder.chmod(0o555)
    with as_ordinary_user(), pytest.raises(InputError, match="permission denied"):
        write_file(folder / "new", b"x")
    folder.chmod(0o777)
    with as_ordinary_user(), pytest.raises(InputError, match="permission denied"):
        write_file(folder / "mine", b"x")  # its folder may be written, the file is protected
    assert (folder / "mine").read_bytes() == b"old"
    assert not leftovers(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with 64 kB of room, where this machine lets one be mounted."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    if os.system(f"mount -t tmpfs -o size=64k none '{mounted}' 2>/dev/null"):  # noqa: S605
        pytest.skip("no file system can be mounted here")
    try:
        yield mounted
    finally:
        os.system(f"umount '{mounted}'")  # noqa: S605


def test_a_full_disk_costs_nothing_that_was_there(small_disk: Path) -> None:
    write_file(small_disk / "a", b"old")
    with pytest.raises(InputError, match=r"cannot be written \(the disk is full\)"):
        write_file(small_disk / "a", b"x" * 100_000)
    with pytest.raises(InputError, match=r"cannot be written \(the disk is full\)"):
        write_folder(small_disk / "folder", {"a": b"x", "b": b"x" * 100_000})
    assert os.listdir(small_disk) == ["a"]
    assert (small_disk / "a").read_bytes() == b"old"
    write_file(small_disk / "a", b"x" * 1000)  # there is room again


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(tmp_path / "a", b"old")
    monkeypatch.setattr(destination.os, "fsync", full_disk)
    with pytest.raises(InputError, match="the disk is full"):
        write_file(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_is_made_elsewhere_appears_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with file_to_be(path) as beside:
        beside.write_bytes(b"half")
        assert not path.exists()
        beside.write_bytes(b"whole")
    assert path.read_bytes() == b"whole"
    with pytest.raises(InputError), file_to_be(path) as beside:
        beside.write_bytes((tmp_path / "missing").read_bytes())
    assert path.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["a.db"]
    with pytest.raises(InputError, match="is no file, and is not replaced"):
        file_to_be(Path("/dev/null")).__enter__()


def test_a_new_folder_appears_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path / "whole", {"a": b"1", "b/c": b"2"})
    assert (tmp_path / "whole" / "b" / "c").read_bytes() == b"2"
    before = os.fsync
    calls = iter([before])
    monkeypatch.setattr(destination.os, "fsync", lambda fd: next(calls, full_disk)(fd))
    with pytest.raises(InputError, match=rf"^{re.escape(str(tmp_path / 'half'))}: cannot"):
        write_folder(tmp_path / "half", {"a": b"1", "b": b"2"})
    assert os.listdir(tmp_path) == ["whole"]


def test_an_old_folder_goes_when_the_new_one_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "model"
    target.mkdir()
    (target / "old").write_bytes(b"")
    with pytest.raises(FileNotFoundError), folder_to_be(target) as beside:
        (beside / "new").write_bytes((tmp_path / "missing").read_bytes())
    assert os.listdir(target) == ["old"]
    with folder_to_be(target) as beside:
        (beside / "new").write_bytes(b"")
    assert os.listdir(target) == ["new"]
    assert os.listdir(tmp_path) == ["model"]


def test_a_folder_does_not_replace_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(InputError, match="is no folder, and is not replaced by one"):
        folder_to_be(tmp_path / "a").__enter__()
    with pytest.raises(InputError, match="a part of its path is a file"):
        make_folder(tmp_path / "a")
    with pytest.raises(InputError, match="a part of its path is a file"):
        write_folder(tmp_path / "a", {"b": b""})
    assert (tmp_path / "a").read_bytes() == b"old"
