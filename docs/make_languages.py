"""Write the table of docs/languages.md from the catalogue: ``python docs/make_languages.py``.

A test fails when the page and the catalogue differ.
"""

from pathlib import Path

from isogloss.language import languages

PAGE = Path(__file__).with_name("languages.md")
START, END = "<!-- made by docs/make_languages.py -->\n", "<!-- end -->\n"


def table() -> str:
    """What each language gets, as Markdown."""
    lines = [
        "| code | language | words | stems | lemmas | parts of speech | function words |",
        "|---|---|---|---|---|---|---|",
    ]
    for language in languages():
        tools = (language.words, language.stems, language.lemmas, language.tags)
        cells = [f"`{language.code}`", language.name, *(tool or "" for tool in tools)]
        cells.append(str(language.function_words or ""))
        lines.append("| " + " | ".join(cells) + " |")
    return "".join(f"{line}\n" for line in lines)


def page() -> str:
    """The whole page with the table as it is now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return before + START + table() + END + after


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
