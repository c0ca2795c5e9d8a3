"""From the language names inside models to the codes that people write (BCP 47).

Models spell languages as ``deu_Latn``, ``de_DE``, ``deu`` or ``de``. A card lists what a user
writes, ``de``, and maps it to the model's spelling where the two differ.
"""

from collections.abc import Iterable

_ISO_639_3 = (
    "aar:aa abk:ab afr:af aka:ak als:sq amh:am ara:ar arb:ar arg:an asm:as ava:av ayr:ay aze:az "
    "azj:az bak:ba bam:bm bel:be ben:bn bis:bi bod:bo bos:bs bre:br bul:bg cat:ca ces:cs cha:ch "
    "che:ce chv:cv cmn:zh cor:kw cos:co cym:cy dan:da deu:de div:dv dzo:dz ell:el eng:en epo:eo "
    "est:et eus:eu ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr fry:fy ful:ff fuv:ff gaz:om gla:gd "
    "gle:ga glg:gl glv:gv grn:gn guj:gu hat:ht hau:ha hbs:sh heb:he her:hz hin:hi hrv:hr hun:hu "
    "hye:hy ibo:ig ido:io iii:ii ile:ie ina:ia ind:id isl:is ita:it jav:jv jpn:ja kal:kl kan:kn "
    "kas:ks kat:ka kaz:kk khk:mn khm:km kik:ki kin:rw kir:ky kmr:ku knc:kr kon:kg kor:ko kur:ku "
    "lao:lo lat:la lav:lv lim:li lin:ln lit:lt ltz:lb lug:lg lvs:lv mah:mh mal:ml mar:mr mkd:mk "
    "mlg:mg mlt:mt mon:mn mri:mi msa:ms mya:my nav:nv nde:nd nep:ne nld:nl nno:nn nob:nb nor:no "
    "npi:ne nya:ny oci:oc ori:or orm:om ory:or oss:os pan:pa pbt:ps pes:fa plt:mg pol:pl por:pt "
    "pus:ps que:qu quy:qu roh:rm ron:ro run:rn rus:ru sag:sg san:sa sin:si slk:sk slv:sl sme:se "
    "smo:sm sna:sn snd:sd som:so sot:st spa:es sqi:sq srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv "
    "swh:sw tah:ty tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tir:ti ton:to tsn:tn tso:ts tuk:tk "
    "tur:tr twi:tw uig:ug ukr:uk urd:ur uzb:uz uzn:uz ven:ve vie:vi vol:vo wln:wa wol:wo xho:xh "
    "ydd:yi yid:yi yor:yo zho:zh zsm:ms zul:zu "
)
_WITHDRAWN = "iw:he in:id ji:yi jw:jv mo:ro ns:nso"
_SHORT = dict(entry.split(":") for entry in f"{_ISO_639_3} {_WITHDRAWN}".split())


def public_codes(model_codes: Iterable[str]) -> dict[str, str]:
    """For each language of a model the code that a user writes, mapped to the model's own.

    A script or region is kept only where it is needed to tell two codes apart: ``zho_Hans`` is
    ``zh`` and ``zho_Hant`` is ``zh-Hant``, because the first of several takes the short code.
    """
    public: dict[str, str] = {}
    for code in model_codes:
        language, _, rest = code.replace("-", "_").partition("_")
        short = _SHORT.get(language, language)
        candidates = (short, f"{short}-{rest}", language, f"{language}-{rest}", code)
        name = next(name for name in candidates if name not in public)
        public[name] = code
    if "nb" in public:
        public.setdefault("no", public["nb"])  # people write Norwegian either way
    return public
