"""Reading other people's weights: safetensors and PyTorch files as mappings of NumPy arrays.

Weights are read one by one when they are asked for, so that a model is never in memory twice.

Unpickling old checkpoints without running anything in them.

A fairseq checkpoint is a pickle that holds, beside the weights, objects of fairseq's own classes:
without fairseq it does not load, and a pickle may run any code it likes. Here only the classes
that tensors and settings are made of are real; every other one becomes an empty stand-in.
"""

import json
import pickle
from argparse import Namespace
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import FormatError, MissingExtraError

Array = NDArray[Any]
_NEEDED = "converting models needs torch and safetensors"


class NamedWeights(Mapping[str, Array]):
    """Arrays by name, each made when it is asked for."""

    def __init__(self, readers: Mapping[str, Callable[[], Array]]) -> None:
        self._readers = dict(readers)

    def __getitem__(self, name: str) -> Array:
        return self._readers[name]()

    def __contains__(self, name: object) -> bool:
        # The mapping's own test would read the weight to see whether it is there.
        return name in self._readers

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)

    def renamed(self, rename: Callable[[str], str | None]) -> "NamedWeights":
        """The same weights under other names; one whose new name is `None` is left out."""
        names = {name: rename(name) for name in self._readers}
        return NamedWeights(
            {new: self._readers[name] for name, new in names.items() if new is not None}
        )

    def changed(self, change: Callable[[str, Array], Array]) -> "NamedWeights":
        """The same names, with every array changed when it is read."""
        return NamedWeights({name: partial(self._changed, change, name) for name in self})

    def _changed(self, change: Callable[[str, Array], Array], name: str) -> Array:
        return change(name, self._readers[name]())


def open_checkpoint(folder: Path) -> NamedWeights:
    """The weights of a Hugging Face model folder, in one file or in several."""
    for index in ("model.safetensors.index.json", "pytorch_model.bin.index.json"):
        if (folder / index).is_file():
            names: dict[str, str] = json.loads((folder / index).read_text())["weight_map"]
            return _merged([folder / file for file in sorted(set(names.values()))])
    for file in ("model.safetensors", "pytorch_model.bin"):
        if (folder / file).is_file():
            return _merged([folder / file])
    raise FormatError(
        "no weights here", path=folder, remedy="expected model.safetensors or pytorch_model.bin"
    )


def _merged(files: list[Path]) -> NamedWeights:
    readers: dict[str, Callable[[], Array]] = {}
    for file in files:
        readers |= _safetensors(file) if file.suffix == ".safetensors" else _pytorch(file)
    return NamedWeights(readers)


def _safetensors(path: Path) -> dict[str, Callable[[], Array]]:
    try:
        import torch  # noqa: F401 - safetensors reads through it: NumPy has no bfloat16
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise MissingExtraError(_NEEDED, "convert") from error
    try:
        file = safe_open(path, framework="pt")
    except (OSError, SafetensorError) as error:
        raise FormatError(f"cannot be read ({error})", path=path) from None
    names: list[str] = file.keys()  # type: ignore[no-untyped-call]
    return {name: partial(_safe_array, file, name) for name in names}


def _safe_array(file: Any, name: str) -> Array:
    return as_array(file.get_tensor(name))


def _pytorch(path: Path) -> dict[str, Callable[[], Array]]:
    return tensors(torch_module().load(path, map_location="cpu", weights_only=True, mmap=True))


def tensors(state: Mapping[str, Any]) -> dict[str, Callable[[], Array]]:
    """Readers for the tensors of a PyTorch state dictionary."""
    return {name: partial(as_array, tensor) for name, tensor in state.items()}


def as_array(tensor: Any) -> Array:
    """A PyTorch tensor as 32-bit floats."""
    array: NDArray[np.float32] = tensor.detach().float().cpu().numpy()
    return array


def torch_module() -> Any:
    """PyTorch, which only conversion needs."""
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(_NEEDED, "convert") from error
    return torch


_REAL = {
    ("argparse", "Namespace"): Namespace,
    ("collections", "OrderedDict"): OrderedDict,
}
_BUILTINS = frozenset({"set", "frozenset", "dict", "list", "tuple", "int", "float", "bool", "str"})


class StandIn:
    """What an object of an unknown class becomes: nothing that could do anything."""

    def __init__(self, *arguments: object, **named: object) -> None:
        pass

    def __setstate__(self, state: object) -> None:
        pass

    def __setitem__(self, key: object, value: object) -> None:
        pass

    def append(self, item: object) -> None:
        """Pickles fill lists of their own classes through this; so let them."""

    def extend(self, items: object) -> None:
        """As above, for several at once."""


class InertUnpickler(pickle.Unpickler):
    """Knows tensors and settings; everything else is a `StandIn`."""

    def find_class(self, module: str, name: str) -> Any:
        """The class of that name, if it is a harmless one."""
        if (module, name) in _REAL:
            return _REAL[module, name]
        if module in ("builtins", "__builtin__") and name in _BUILTINS:
            return super().find_class("builtins", name)
        if _is_tensor_part(module, name):
            return super().find_class(module, name)
        return StandIn


def _is_tensor_part(module: str, name: str) -> bool:
    if module == "torch._utils":
        return name in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_parameter")
    kinds = ("Storage", "Tensor", "Size", "device")
    return module in ("torch", "torch.storage", "torch.cuda") and name.endswith(kinds)


def load_inert(path: Path) -> dict[str, Any]:
    """A checkpoint's content; what is no tensor, setting or plain value is a `StandIn`."""
    torch = torch_module()
    safe_pickle = SimpleNamespace(
        Unpickler=InertUnpickler,
        load=lambda stream, **options: InertUnpickler(stream, **options).load(),
        __name__=__name__,
    )
    try:
        content = torch.load(
            path, map_location="cpu", pickle_module=safe_pickle, weights_only=False
        )
    except (pickle.UnpicklingError, RuntimeError, EOFError, OSError) as error:
        raise FormatError(f"is no PyTorch checkpoint ({error})", path=path) from None
    if not isinstance(content, dict):
        raise FormatError("holds no dictionary", path=path, remedy="is it a checkpoint?")
    return content
