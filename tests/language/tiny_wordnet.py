"""A WordNet of a few words in the format of the real one: ``from language.tiny_wordnet import …``.

Lines are written without their places, which are known only once all lines are.
"""

from pathlib import Path

LICENCE = "  1 WordNet 9.9 Copyright of nobody\n"
# synset: its part of speech, its words, and (symbol, synset) pointers
SYNSETS = {
    "vehicle": ("noun", ["vehicle"], []),
    "car": ("noun", ["car", "automobile"], [("@", "vehicle")]),
    "bus": ("noun", ["bus"], [("@", "vehicle")]),
    "beetle": ("noun", ["beetle"], [("@i", "car")]),
    "goose": ("noun", ["goose"], []),
    "buy": ("verb", ["buy", "purchase"], [("$", "acquire")]),
    "acquire": ("verb", ["acquire"], [("$", "buy")]),
    "fast": ("adj", ["fast"], [("&", "speedy")]),
    "speedy": ("adj", ["speedy"], [("&", "fast")]),
    "soon": ("adv", ["soon"], []),
}
EXCEPTIONS = {"noun": ["geese goose"], "verb": ["bought buy"], "adj": [], "adv": []}


def write_tiny_wordnet(folder: Path) -> Path:
    places, data = _placed_lines()
    for part, exceptions in EXCEPTIONS.items():
        (folder / f"data.{part}").write_text(LICENCE + data[part], encoding="utf-8")
        (folder / f"{part}.exc").write_text("".join(f"{e}\n" for e in exceptions))
        (folder / f"index.{part}").write_text(LICENCE + _index(part, places))
    return folder


def _placed_lines() -> tuple[dict[str, int], dict[str, str]]:
    places, ends = {}, {part: len(LICENCE) for part in EXCEPTIONS}
    for name, (part, _, _) in SYNSETS.items():
        places[name] = ends[part]
        ends[part] += len(_line(name, dict.fromkeys(SYNSETS, 0)))
    data = dict.fromkeys(EXCEPTIONS, "")
    for name, (part, _, _) in SYNSETS.items():
        data[part] += _line(name, places)
    return places, data


def _line(name: str, places: dict[str, int]) -> str:
    part, words, pointers = SYNSETS[name]
    letter = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[part]
    listed = " ".join(f"{word} 0" for word in words)
    pointed = " ".join(f"{symbol} {places[other]:08d} {letter} 0000" for symbol, other in pointers)
    counted = f"{len(pointers):03d} {pointed}".strip()
    return f"{places[name]:08d} 00 {letter} {len(words):02x} {listed} {counted} | a gloss  \n"


def _index(part: str, places: dict[str, int]) -> str:
    lines = []
    for name, (of, words, pointers) in SYNSETS.items():
        for word in words if of == part else ():
            symbols = " ".join(dict.fromkeys(symbol for symbol, _ in pointers))
            counts = f"1 {len(set(symbols.split()))} {symbols}".strip()
            lines.append(f"{word} {of[0]} {counts} 1 0 {places[name]:08d}  \n")
    return "".join(sorted(lines))
