"""The rules of minimal edits in English and German, and numbers in any language."""

from typing import NamedTuple

from minimal_edits import (
    Names,
    Rule,
    both_ways,
    number_words,
    one_way,
    other_number,
    replaced,
    swaps,
    words_as_digits,
)


class Rules(NamedTuple):
    """What breaks the meaning, by category; what only changes the wording; how names are found."""

    broken: dict[str, list[Rule]]
    reworded: list[Rule]
    names: Names | None = None


# --- English -------------------------------------------------------------------------------------

_AUXILIARY = r"is|are|was|were|will|can|could|should|would|must|has|have|had|does|do|did"
_NOT_ALONE = r"(?!only\b|just\b|because\b|least\b|to\b|merely\b|necessarily\b|yet\b|even\b|until\b)"
_EN_NUMBERS = "two three four five six seven eight nine ten eleven twelve"
_EN_NAMES = Names(
    {
        "countries": "Germany France Italy Spain China Japan Russia Ukraine Poland Turkey India "
        "Brazil Canada Australia Iran Iraq Israel Syria Egypt Greece Sweden Norway Austria "
        "Switzerland Hungary Mexico Argentina Vietnam Pakistan Belgium Denmark Finland Portugal",
        "cities": "London Paris Berlin Beijing Shanghai Moscow Tokyo Rome Madrid Vienna Prague "
        "Brussels Washington Munich Hamburg Frankfurt Brno Shenzhen Guangzhou Wuhan Chicago "
        "Boston Los_Angeles San_Francisco New_York Kyiv Warsaw Budapest Istanbul Cologne",
        "days": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "months": "January February April June July August September October November December",
    },
    r"Mr\.?|Mrs\.?|Ms\.?|Dr\.?|President|Minister|Chancellor|Professor|Director|Secretary",
)
_EN_ANTONYMS = """
increase/decrease increases/decreases increased/decreased increasing/decreasing rise/fall
rises/falls rose/fell rising/falling risen/fallen higher/lower highest/lowest high/low
more_than/less_than better/worse best/worst good/bad larger/smaller largest/smallest large/small
big/small older/younger oldest/youngest strong/weak stronger/weaker early/late earlier/later
before/after always/never often/rarely accept/reject accepted/rejected won/lost win/lose
opened/closed opening/closing allowed/forbidden bought/sold buy/sell buying/selling
success/failure successful/unsuccessful successfully/unsuccessfully possible/impossible
legal/illegal dangerous/safe rich/poor hot/cold warm/cold northern/southern eastern/western
north/south positive/negative male/female men/women man/woman father/mother brother/sister
son/daughter boys/girls boy/girl husband/wife summer/winter majority/minority
longest/shortest longer/shorter advantages/disadvantages advantage/disadvantage import/export
imports/exports happy/unhappy
easy/difficult easily/barely expensive/cheap fast/slow faster/slower first/last inside/outside
agreed/refused supported/opposed support/oppose begin/end began/ended beginning/end maximum/minimum
strengthen/weaken strengthened/weakened improved/worsened improve/worsen public/private
above/below love/hate loved/hated friends/enemies friend/enemy alive/dead innocent/guilty
"""
_EN_SYNONYMS = both_ways("""
quickly/rapidly nearly/almost children/kids for_example/for_instance film/movie
because_of/due_to however/nevertheless currently/presently often/frequently maybe/perhaps
until/till among/amongst toward/towards immediately/instantly answered/replied wealthy/affluent
besides/moreover mistakes/errors permitted/allowed required/needed primarily/mainly
doctors/physicians doctor/physician approximately/roughly huge/massive
colour/color colours/colors favourite/favorite centre/center organisation/organization
organised/organized neighbour/neighbor neighbours/neighbors behaviour/behavior
labour/labor defence/defense travelled/traveled realise/realize recognise/recognize
honour/honor theatre/theater metres/meters kilometres/kilometers realised/realized
""") | one_way("""
big/large began/started begin/start begins/starts bought/purchased buy/purchase entire/whole
such_as/like attempted/tried lastly/finally sufficient/enough difficult/hard rapid/fast
additional/further received/got firstly/first gift/present assist/help assisted/helped
stated/said declared/said large/big purchase/buy purchased/bought whilst/while
programme/program persons/people individuals/people enormous/immense obtain/get obtained/got
crucial/vital utilise/use utilised/used
""")
ENGLISH = Rules(
    {
        "negation": [
            replaced(rf"\b((?:{_AUXILIARY})) not {_NOT_ALONE}(?=[a-z])", r"\1 ", "not left out"),
            replaced(
                r"\b(is|are|was|were|could|should|would|has|have|had|does|do|did)n[’']t "
                rf"{_NOT_ALONE}(?=[a-z])",
                r"\1 ",
                "n't left out",
            ),
            replaced(r"\bcan(?:not|[’']t) (?=[a-z])", "can ", "cannot to can"),
            replaced(r"\bwon[’']t (?=[a-z])", "will ", "won't to will"),
            replaced(
                r"(?<![,;] )(?<!that )(?<!as )\b(is|are|was|were|will|can|could|should) "
                r"(?!not\b|no\b|n[’']t|also\b|still\b|only\b|often\b|nothing\b|never\b|neither\b"
                r"|I\b|he\b|she\b|it\b|they\b|we\b|you\b|there\b|this\b|that\b)(?=[a-z])",
                r"\1 not ",
                "not put in",
            ),
        ],
        "numbers": [other_number, number_words(_EN_NUMBERS)],
        "names": [],
        "antonyms": [
            swaps(both_ways(_EN_ANTONYMS), "antonym", unless_before="year|week|month|night|of")
        ],
        "roles": [
            _EN_NAMES.swapped,
            replaced(
                r"\b([Tt]he|[Hh]is|[Hh]er) ([a-z]+) ([a-z]+ed) (the|his|her|their) ([a-z]+)"
                r"(?= (?:of|in|on|at|for|to|with|that|who|by|from|as|after|before)\b|[.,])",
                r"\1 \5 \3 \4 \2",
                "subject and object",
            ),
            replaced(
                r"\bfrom (\$?€?[\d.,]*\d%?) to (\$?€?[\d.,]*\d%?)(?![\w-])",
                r"from \2 to \1",
                "from and to",
            ),
            *(
                replaced(rf"\b{a} (\w+(?:ed|d|aw|ook|ave|ent)) {b}\b", rf"{c} \1 {d}", "pronouns")
                for a, b, c, d in (
                    ("he", "her", "she", "him"),
                    ("she", "him", "he", "her"),
                    ("He", "her", "She", "him"),
                    ("She", "him", "He", "her"),
                    ("he", "them", "they", "him"),
                    ("they", "him", "he", "them"),
                    ("He", "them", "They", "him"),
                    ("They", "him", "He", "them"),
                    ("she", "them", "they", "her"),
                    ("I", "him", "he", "me"),
                    ("I", "her", "she", "me"),
                    ("I", "them", "they", "me"),
                    ("he", "me", "I", "him"),
                    ("they", "me", "I", "them"),
                    ("He", "me", "I", "him"),
                    ("we", "them", "they", "us"),
                    ("they", "us", "we", "them"),
                    ("We", "them", "They", "us"),
                    ("They", "us", "We", "them"),
                )
            ),
        ],
    },
    [
        replaced(r"\b(is|are|was|were|has|have|does|do|did|would|could|should) not (?=[a-z])",
                 r"\1n't ", "contracted"),
        replaced(r"\b(is|are|was|were|has|have|does|do|did|would|could|should)n[’']t (?=[a-z])",
                 r"\1 not ", "expanded"),
        replaced(r"\bcan[’']t (?=[a-z])", "cannot ", "expanded"),
        replaced(r"\bcannot (?=[a-z])", "can't ", "contracted"),
        replaced(r"\bwon[’']t (?=[a-z])", "will not ", "expanded"),
        replaced(r"\bwill not (?=[a-z])", "won't ", "contracted"),
        replaced(r"\b(I|you|we|they|You|We|They) have (?=[a-z]+ed\b|been\b)",
                 r"\1've ", "contracted"),
        replaced(r"(?:(?<=^)|(?<=[,.;“] )|(?<=\band )|(?<=\bbut )|(?<=\bthat ))"
                 r"(he|she|it|He|She|It) is (?=[a-z])", r"\1's ", "contracted"),
        replaced(r"(?:(?<=^)|(?<=[,.;“] )|(?<=\band )|(?<=\bbut )|(?<=\bthat ))"
                 r"(they|we|you|They|We|You) are (?=[a-z])", r"\1're ", "contracted"),
        replaced(r"\bI[’']m (?=[a-z])", "I am ", "expanded"),
        replaced(r"\b(it|It|that|That) ?[’']s (?=(?:a|the|not|very|important|possible)\b)",
                 r"\1 is ", "expanded"),
        replaced(r"(?<=\d)%(?!\w)", " percent", "per cent in words"),
        replaced(r"(?<=\d) (?:percent|per cent)\b", "%", "per cent as a sign"),
        replaced(r"\bin order to\b", "to", "in order to"),
        words_as_digits(_EN_NUMBERS),
        swaps(_EN_SYNONYMS, "synonym or spelling", unless_before="to|as"),
    ],
    _EN_NAMES,
)  # fmt: skip

# --- German --------------------------------------------------------------------------------------

_DE_NUMBERS = "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
_DE_NAMES = Names(
    {
        "countries": "Deutschland Frankreich Italien Spanien China Japan Russland Polen Indien "
        "Brasilien Kanada Australien Israel Syrien Ägypten Griechenland Schweden Norwegen "
        "Österreich Ungarn Mexiko Argentinien Vietnam Pakistan Belgien Dänemark Finnland Portugal",
        "cities": "London Paris Berlin Peking Shanghai Moskau Tokio Rom Madrid Wien Prag Brüssel "
        "Washington München Hamburg Frankfurt Köln Stuttgart Chicago Boston Los_Angeles "
        "San_Francisco New_York Kiew Warschau Budapest Istanbul Manchester Liverpool",
        "days": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "months": "Januar Februar April Juni Juli August September Oktober November Dezember",
    },
    r"Herrn?|Frau|Dr\.|Präsident|Präsidentin|Minister|Ministerin|Kanzler|Kanzlerin|Professor|"
    r"Premierminister",
)
_DE_ADJECTIVES = one_way(
    "groß/klein klein/groß gut/schlecht schlecht/gut stark/schwach schwach/stark "
    "früh/spät spät/früh reich/arm arm/reich schnell/langsam langsam/schnell alt/neu "
    "neu/alt jung/alt positiv/negativ negativ/positiv warm/kalt heiß/kalt kalt/warm "
    "weiblich/männlich männlich/weiblich legal/illegal illegal/legal nördlich/südlich "
    "südlich/nördlich östlich/westlich westlich/östlich möglich/unmöglich erfolgreich/erfolglos "
    "wichtig/unwichtig öffentlich/privat privat/öffentlich billig/teuer einfach/schwierig "
    "schwierig/einfach"
)
_DE_ENDINGS = ("", "e", "er", "en", "em", "es")
_DE_WORDS = both_ways(
    "immer/nie mehr_als/weniger_als höher/niedriger höhere/niedrigere höheren/niedrigeren "
    "größer/kleiner größere/kleinere größeren/kleineren größte/kleinste größten/kleinsten "
    "besser/schlechter bessere/schlechtere besseren/schlechteren beste/schlechteste "
    "besten/schlechtesten älter/jünger hohe/niedrige hohen/niedrigen hoch/niedrig erste/letzte "
    "ersten/letzten erster/letzter gewonnen/verloren gewinnen/verlieren gewann/verlor "
    "gestiegen/gesunken steigen/sinken steigt/sinkt stieg/sank erhöht/verringert "
    "erhöhen/verringern geöffnet/geschlossen gekauft/verkauft kaufen/verkaufen erlaubt/verboten "
    "viele/wenige vielen/wenigen viel/wenig oft/selten links/rechts innerhalb/außerhalb "
    "begann/endete beginnt/endet beginnen/enden verbessert/verschlechtert "
    "verbessern/verschlechtern gestärkt/geschwächt stärken/schwächen später/früher "
    "mindestens/höchstens Männer/Frauen Männern/Frauen Brüder/Schwestern Söhne/Töchter "
    "Väter/Mütter Norden/Süden Osten/Westen Sommer/Winter Erfolg/Misserfolg Vorteil/Nachteil "
    "Vorteile/Nachteile Gewinn/Verlust Gewinne/Verluste Anstieg/Rückgang Freunde/Feinde "
    "Mehrheit/Minderheit Maximum/Minimum bestätigt/bestritten angenommen/abgelehnt"
)
_DE_SYNONYMS = both_ways(
    "sofort/umgehend etwa/ungefähr vielleicht/möglicherweise rasch/schnell oft/häufig "
    "jetzt/nun bereits/schon außerdem/zudem derzeit/momentan trotzdem/dennoch "
    "fast/beinahe komplett/vollständig jedoch/allerdings ständig/dauernd erhält/bekommt "
    "erhielt/bekam zum_Beispiel/beispielsweise ebenso/genauso Samstag/Sonnabend Beginn/Anfang "
    "Handy/Mobiltelefon begonnen/angefangen benötigt/braucht benötigen/brauchen "
    "manchmal/gelegentlich letztendlich/letztlich hauptsächlich/vorwiegend niemals/nie "
    "häufiger/öfter sehr/äußerst daher/deshalb mittlerweile/inzwischen zunächst/zuerst "
    "obwohl/obgleich bislang/bisher gestattet/erlaubt erneut/abermals überall/allerorts"
) | one_way(
    "lediglich/nur ebenfalls/auch stets/immer insbesondere/besonders Mediziner/Ärzte "
    "schließlich/letztlich circa/etwa ca./etwa gegenwärtig/derzeit rund/ungefähr "
    "darüber_hinaus/außerdem deswegen/daher zahlreiche/viele zahlreichen/vielen"
)
_DE_VERBS = r"ist|sind|war|waren|wird|werden|wurde|wurden|kann|können|konnte|soll|sollte"
GERMAN = Rules(
    {
        "negation": [
            replaced(
                r" nicht(?= [a-zäöü]|[.,])"
                r"(?! nur| mehr| zuletzt| einmal| wenig| ganz| unbedingt| zu | so )",
                "",
                "nicht left out",
            ),
            replaced(r"\b([Kk])(ein|einen|einem|einer)\b", r"\2", "kein to ein"),
            replaced(r"(?<= )(ein|eine|einen|einem|einer) "
                     r"(?!Tag|Woche|Monat|Jahr|Moment)(?=[A-ZÄÖÜ]|\w+e[rnms]? )",
                     r"k\1 ", "ein to kein",
                     unless_after="in mit von zu durch für auf an bei nach aus über unter vor um "
                     "ohne als wie oder und nur irgend noch nie gegen zwischen seit bis nicht"),
            replaced(
                rf"\b([A-ZÄÖÜ]\w+|er|sie|es|das|wir|ich) ({_DE_VERBS}) "
                r"(?=(?:in|im|am|auf|mit|bei|beim|von|vom|zu|zum|zur|nach|aus|für|durch|über|unter|an|"
                r"sehr|bereit|möglich|vollständig) )",
                r"\1 \2 nicht ",
                "nicht put in",
            ),
        ],
        "numbers": [other_number, number_words(_DE_NUMBERS)],
        "names": [],
        "antonyms": [
            swaps(
                {a + e: b + e for a, b in _DE_ADJECTIVES.items() for e in _DE_ENDINGS} | _DE_WORDS,
                "antonym",
                keep_case=True,
                unless_before="noch|wieder|mehr",
            )
        ],
        "roles": [
            _DE_NAMES.swapped,
            replaced(
                r"\bvon ([\d.,]*\d) (auf|bis|zu) ([\d.,]*\d)(?![\w-])",
                r"von \3 \2 \1",
                "from and to",
            ),
            replaced(r"\bEr (\w+e?te|\w+[^aeiou]) ihr\b", r"Sie \1 ihm", "pronouns"),
            replaced(r"\bSie (\w+e?te|sah|gab) ihm\b", r"Er \1 ihr", "pronouns"),
            replaced(r"\b(\w+te|bat|sah|ließ|rief|fand) ich ihn\b", r"\1 er mich", "pronouns"),
            replaced(r"\b(\w+te|gab|half|schrieb) ich ihm\b", r"\1 er mir", "pronouns"),
            replaced(r"\b(\w+te|bat|sah|ließ|rief|fand) er mich\b", r"\1 ich ihn", "pronouns"),
        ],
    },
    [
        replaced(r"(?<=\d) ?%(?!\w)", " Prozent", "per cent in words"),
        replaced(r"(?<=\d) Prozent\b", " %", "per cent as a sign"),
        replaced(r"\bz\. ?B\.", "zum Beispiel", "written out"),
        replaced(r"\bund so weiter\b", "usw.", "abbreviated"),
        replaced(r"\bMio\.", "Millionen", "written out"),
        replaced(r"(?<=\d) Millionen\b", " Mio.", "abbreviated"),
        replaced(r"(?<=\d) Milliarden\b", " Mrd.", "abbreviated"),
        replaced(r"\bwegen (?=der |des |ihrer |seiner |einer |eines )", "aufgrund ", "synonym"),
        replaced(r"\baufgrund (?=der |des |ihrer |seiner |einer |eines )", "wegen ", "synonym"),
        words_as_digits(_DE_NUMBERS),
        swaps(_DE_SYNONYMS, "synonym", keep_case=True, unless_before="wenn|noch|mal|mehr|um|als"),
    ],
    _DE_NAMES,
)  # fmt: skip
RULES = {"en": ENGLISH, "de": GERMAN}
