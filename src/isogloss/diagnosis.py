"""What this installation is, and whether it works: ``isogloss doctor``, for reports of bugs.

Every fact has a state: *ok*; *absent*, where something optional is not there; *wrong*, where
something will fail or mislead. A fact that is not ok says what helps.
"""

import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Literal

from packaging.requirements import Requirement

from isogloss.errors import IsoglossError
from isogloss.runtime import Runtime, default_cache_folder
from isogloss.tables import shown_bytes

State = Literal["ok", "absent", "wrong"]
_PACKAGE = "isogloss"
_MODEL = "isogloss-model"  # in a clone it need not be installed, and its self-test tells more
_TOLD = ("avx", "avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "asimd", "asimddp")
_PREFIXES = ("ISOGLOSS_", "CT2_", "OMP_", "CUDA_VISIBLE", "SACREBLEU")
_SECRET = ("KEY", "TOKEN", "PASSWORD", "SECRET", "URL", "DATABASE", "ADDRESS")
_FOR_MAKERS = ("dev", "docs")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something about the installation; `remedy` is what helps where it is not ok."""

    topic: str
    name: str
    value: str
    state: State = "ok"
    remedy: str = ""


def diagnose(*, device: Literal["cpu", "cuda", "auto"] = "cpu") -> Iterator[Fact]:
    """All there is to know, one fact after the other; the model's self-test takes seconds."""
    yield from _program()
    # Before anything loads the engine: the model chooses the processor's instructions.
    yield from _model(device)
    yield from _machine()
    yield from _cache()
    yield from _languages()
    yield _aligners()
    yield from _plugins()
    yield from _extras()


def _program() -> Iterator[Fact]:
    yield Fact("Program", "isogloss", version(_PACKAGE))
    built = f"{platform.python_version()} ({platform.python_implementation()})"
    yield Fact("Program", "Python", built)
    for requirement in _requirements():
        if requirement.name != _MODEL or _installed(requirement):
            yield _package(requirement)
    for name, value in sorted(os.environ.items()):
        if name.startswith(_PREFIXES):
            secret = any(word in name for word in _SECRET)
            yield Fact("Program", f"${name}", "set" if secret else shown_home(value))


def _package(requirement: Requirement) -> Fact:
    """A package that isogloss cannot do without."""
    found = _installed(requirement)
    if found is None:
        remedy = f"pip install '{requirement}'"
        return Fact("Program", requirement.name, "not installed", "wrong", remedy)
    if not requirement.specifier.contains(found, prereleases=True):
        remedy = f"needed is {requirement.specifier}: pip install '{requirement}'"
        return Fact("Program", requirement.name, found, "wrong", remedy)
    return Fact("Program", requirement.name, found)


def _requirements(extra: str = "", package: str = _PACKAGE) -> Iterator[Requirement]:
    """What a package needs on this machine: always, or for an extra and nothing else."""
    for requirement in map(Requirement, requires(package) or ()):
        marker, requirement.marker = requirement.marker, None
        always = marker is None or marker.evaluate({"extra": ""})
        if always != bool(extra) and (marker is None or marker.evaluate({"extra": extra})):
            yield requirement


def _installed(requirement: Requirement) -> str | None:
    try:
        return version(requirement.name)
    except PackageNotFoundError:
        return None


def _machine() -> Iterator[Fact]:
    from isogloss.model import cpu_flags, default_threads, usable_cores

    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    yield Fact("Machine", "system", system)
    flags = [flag for flag in _TOLD if flag in cpu_flags()]
    yield Fact("Machine", "instructions", " ".join(flags) or "not told by the system")
    cores, threads = usable_cores(), default_threads()
    shared = f"{cores} of {os.cpu_count()}"
    yield Fact("Machine", "cores", shared)
    yield Fact("Machine", "model threads", f"{threads.workers} × {threads.per_worker}")
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        yield Fact("Machine", "memory", shown_bytes(size))
    yield _gpu()


def _gpu() -> Fact:
    import ctranslate2

    count = ctranslate2.get_cuda_device_count()
    if not count:
        return Fact("Machine", "GPU", "none that the engine can use", "absent")
    types = ", ".join(sorted(ctranslate2.get_supported_compute_types("cuda")))
    return Fact("Machine", "GPU", f"{count} ({types})")


def _model(device: Literal["cpu", "cuda", "auto"]) -> Iterator[Fact]:
    """The model that comes along, tested; other models by name."""
    from isogloss.model import DEFAULT_MODEL, installed_models, models_folder

    yield _attempted("Model", "self-test", lambda: _tested(device))
    others = [name for name in installed_models() if name != DEFAULT_MODEL]
    place = shown_home(str(models_folder()))
    yield Fact("Model", "others", ", ".join(others) or f"none in {place}")


def _tested(device: Literal["cpu", "cuda", "auto"]) -> Fact:
    from isogloss.model import DEFAULT_MODEL, find_model, open_model, verify_folder

    folder = find_model(DEFAULT_MODEL)
    verify_folder(folder)
    begun = time.perf_counter()
    model = open_model(folder, None, Runtime(device))
    verdicts = model.selftest()
    seconds = time.perf_counter() - begun
    off = max((verdict.difference for verdict in verdicts), default=0.0)
    engine = model.engine_id
    told = (
        f"{model.card.name} ({model.card.digest.partition(':')[2][:8]}), {engine.precision}, "
        f"{engine.instructions}: {len(verdicts)} scores off by {off:.4f} at most, {seconds:.1f} s"
    )
    if off <= model.tolerance:
        return Fact("Model", "self-test", told)
    remedy = f"at most {model.tolerance} is expected: scores of this machine cannot be trusted"
    return Fact("Model", "self-test", told, "wrong", remedy)


def _attempted(topic: str, name: str, find: Callable[[], Fact]) -> Fact:
    """The fact; or what went wrong, whatever it was, for that is what a doctor is to tell."""
    try:
        return find()
    except IsoglossError as error:
        what, _, remedy = str(error).partition("; ")
        return Fact(topic, name, shown_home(what), "wrong", shown_home(remedy))
    except Exception as error:
        return Fact(topic, name, shown_home(f"{type(error).__name__}: {error}"), "wrong")


def _cache() -> Iterator[Fact]:
    yield _attempted("Cache", "folder", _cache_folder)


def _cache_folder() -> Fact:
    """Whether what is computed can be kept, and how much there is; nothing is written."""
    from isogloss.model import ScoreCache

    folder = default_cache_folder()
    shown = shown_home(str(folder))
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        remedy = "name another folder with ISOGLOSS_CACHE or --cache, or give --no-cache"
        return Fact("Cache", "folder", f"{shown} cannot be written", "wrong", remedy)
    if not folder.exists():
        return Fact("Cache", "folder", f"{shown}: not made yet")
    scores = ScoreCache(folder)
    entries = sum(usage.entries for usage in scores.usage()) if scores.path.exists() else 0
    scores.close()
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return Fact("Cache", "folder", f"{shown}: {shown_bytes(size)}, {entries:,} scores")


def _languages() -> Iterator[Fact]:
    """Which languages have all their tools; data comes inside of packages."""
    from isogloss.language import languages

    supported = languages()
    ready = [language for language in supported if not language.missing]
    yield Fact("Languages", "ready", f"{len(ready)} of {len(supported)}")
    lacking = sorted({package for language in supported for package in language.missing})
    for package in lacking:
        codes = [language.code for language in supported if package in language.missing]
        told = f"not installed: {' '.join(codes)}"
        yield Fact("Languages", package, told, "absent", _get("languages"))


def _aligners() -> Fact:
    from isogloss.alignment import has_thot

    told = "attention of a model, for the languages that it knows"
    if has_thot():
        return Fact("Word alignment", "aligners", f"{told}; statistical, for all")
    told += "; none that is statistical"
    return Fact("Word alignment", "aligners", told, "absent", _get("align"))


def _get(extra: str) -> str:
    return f"pip install '{_PACKAGE}[{extra}]'"


def _plugins() -> Iterator[Fact]:
    """Other people's metrics, loaded."""
    from isogloss.metrics import plugin_troubles

    for name, trouble in plugin_troubles().items():
        if trouble:
            remedy = "mend or uninstall the package that it comes from"
            yield Fact("Plug-ins", name, trouble, "wrong", remedy)
        else:
            yield Fact("Plug-ins", name, "can be loaded")


def _extras() -> Iterator[Fact]:
    from importlib.metadata import metadata

    for extra in sorted(metadata(_PACKAGE).get_all("Provides-Extra") or ()):
        if extra not in _FOR_MAKERS:
            yield _extra(extra)


def _extra(extra: str) -> Fact:
    needed = [each for one in _requirements(extra) for each in (one, *_parts(one))]
    lacking = sorted({each.name for each in needed if _installed(each) is None})
    if lacking:
        return Fact("Extras", extra, f"lacks {', '.join(lacking)}", "absent", _get(extra))
    return Fact("Extras", extra, ", ".join(f"{each.name} {_installed(each)}" for each in needed))


def _parts(requirement: Requirement) -> Iterator[Requirement]:
    """What the extras of a package that is there need besides."""
    if _installed(requirement) is not None:
        for extra in requirement.extras:
            yield from _requirements(extra, requirement.name)


def shown_home(text: str) -> str:
    """The text without the name of who runs this: such reports are made public."""
    home = os.path.expanduser("~")
    return text if home in ("", "/", "~") else text.replace(home + os.sep, f"~{os.sep}")
