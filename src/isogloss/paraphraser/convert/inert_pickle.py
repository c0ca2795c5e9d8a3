"""Unpickling old checkpoints without running anything in them.

A fairseq checkpoint is a pickle that holds, beside the weights, objects of fairseq's own classes:
without fairseq it does not load, and a pickle may run any code it likes. Here only the classes
that tensors and settings are made of are real; every other one becomes an empty stand-in.
"""

import pickle
from argparse import Namespace
from collections import OrderedDict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from isogloss.errors import FormatError
from isogloss.paraphraser.convert.checkpoints import torch_module

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
