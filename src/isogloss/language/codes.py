"""Language codes: what counts of a BCP 47 tag here is its language, not region or script."""

_SAME = {"cmn": "zh", "in": "id", "iw": "he", "ji": "yi"}


def primary(language: str | None) -> str | None:
    """``pt`` for ``pt-BR``, ``zh`` for ``zh_Hant``; `None` stays `None`."""
    if language is None:
        return None
    code = language.lower().replace("_", "-").partition("-")[0]
    return _SAME.get(code, code)


ENGLISH_NAMES = {
    "ar": "Arabic", "ast": "Asturian", "bg": "Bulgarian", "bs": "Bosnian", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "enm": "Middle English", "eo": "Esperanto", "es": "Spanish",
    "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "gd": "Scottish Gaelic", "gl": "Galician", "grc": "Ancient Greek",
    "gv": "Manx", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian",
    "ja": "Japanese", "ka": "Georgian", "ko": "Korean", "la": "Latin", "lb": "Luxembourgish",
    "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "ms": "Malay",
    "nb": "Norwegian Bokmål", "ne": "Nepali", "nl": "Dutch", "nn": "Norwegian Nynorsk",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "se": "Northern Sami", "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian",
    "sr": "Serbian", "st": "Sesotho", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil",
    "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese",
    "yi": "Yiddish", "zh": "Chinese",
}  # fmt: skip
