"""Shows what stands below ``Example:`` in a docstring as the session that it is."""

from typing import Any

import griffe


class Examples(griffe.Extension):
    """The parser knows the section by its plural only."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rename the section before it is parsed."""
        if obj.docstring:
            obj.docstring.value = obj.docstring.value.replace("\nExample:\n", "\nExamples:\n")
