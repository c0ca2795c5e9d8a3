"""The eleven ways in which a markable's translation goes wrong (Zouhar et al. 2020)."""

from enum import StrEnum

from isogloss.errors import InputError


class Phenomenon(StrEnum):
    """One kind of error; its value is its name in metrics, commands and our event log."""

    NON_TRANSLATED = "non-translated"
    OVER_TRANSLATED = "over-translated"
    TERMINOLOGY = "terminology"
    STYLE = "style"
    SENSE = "sense"
    TYPOGRAPHY = "typography"
    ROLE = "role"
    GRAMMAR = "grammar"
    INCONSISTENCY = "inconsistency"
    CONFLICT = "conflict"
    DISAPPEARANCE = "disappearance"

    @property
    def title(self) -> str:  # type: ignore[override]
        """The name for people."""
        return _TITLES.get(self, self.value.capitalize())

    @property
    def key(self) -> str:
        """The name in the study's files."""
        return _KEYS.get(self, self.value)

    @property
    def mqm_category(self) -> str:
        """The category of an MQM error that comes nearest."""
        return _MQM[self]

    @classmethod
    def of_key(cls, key: str) -> "Phenomenon":
        """The phenomenon of that name in the study's files."""
        for phenomenon in cls:
            if key == phenomenon.key:
                return phenomenon
        known = ", ".join(phenomenon.key for phenomenon in cls)
        raise InputError(f"{key!r} is no phenomenon; there are: {known}")


_TITLES = {Phenomenon.ROLE: "Semantic role", Phenomenon.GRAMMAR: "Other grammar"}
_KEYS = {
    Phenomenon.NON_TRANSLATED: "nontranslated",
    Phenomenon.OVER_TRANSLATED: "tootranslated",
}
_MQM = {
    Phenomenon.NON_TRANSLATED: "Accuracy/Untranslated",
    Phenomenon.OVER_TRANSLATED: "Accuracy/Do-not-translate",
    Phenomenon.TERMINOLOGY: "Terminology/Inappropriate for context",
    Phenomenon.STYLE: "Style/Awkward",
    Phenomenon.SENSE: "Accuracy/Mistranslation",
    Phenomenon.TYPOGRAPHY: "Fluency/Spelling",
    Phenomenon.ROLE: "Accuracy/Mistranslation",
    Phenomenon.GRAMMAR: "Fluency/Grammar",
    Phenomenon.INCONSISTENCY: "Terminology/Inconsistent",
    Phenomenon.CONFLICT: "Accuracy/Mistranslation",
    Phenomenon.DISAPPEARANCE: "Accuracy/Omission",
}


def mqm_severity(severity: float | None) -> str:
    """A severity on the study's scale (0 to 1) as one of MQM's: none at all costs nothing."""
    if severity == 0:
        return "neutral"
    return "major" if severity is not None and severity > 0.5 else "minor"
