"""What annotators are told, unless the organiser tells them something else."""

from collections.abc import Mapping

from isogloss.annotate.campaign import Phase

GUIDELINES: Mapping[Phase, str] = {
    "phase1": """# Lines

Read the source document first. Then go through it line by line: for each translation of a line say

- adequacy: how much of the meaning of the source line is there (0 nothing, 1 everything);
- fluency: how well the line reads by itself (0 not at all, 1 like a native text).

A markable is an expression on which the meaning of the document hangs: a party of a contract, a
name, a term, a number. Tick "conflicting" where a translation confuses markables with each other,
and select the words, in the source or in a translation, where a markable went wrong.
""",
    "phase2": """# Markables

You see one markable at all its places, in all translations. For each place and translation say
which phenomena you see and how severe each of them is, from 0 (harmless) to 1 (the document cannot
be used), or say that there is no error.

- Non-translated: left in the source language though it should not be.
- Over-translated: translated though it should stay as it is.
- Terminology: a wrong or unusual term.
- Style: a term of the wrong register.
- Sense: a word of another meaning.
- Typography: capitals, number format, punctuation.
- Semantic role: who does what to whom is turned around.
- Other grammar: the markable stands in a wrong form.
- Inconsistency: translated in another way than at other places.
- Conflict: cannot be told apart from another markable.
- Disappearance: not there at all.
""",
    "da": """# Scores

How well does the translation say what the source says, in its place in the document? Move the
slider from 0 (nothing of it) to 100 (perfect).
""",
    "spans": """# Errors

Select every error and say how bad it is. Minor: one stumbles over it. Major: one understands
something else, or nothing. Critical: harm may come of it. Then give the segment a score from 0 to
100.
""",
    "consistency": """# Repeated words

You see a word that the document repeats, at all its places, with a translation by people. May it be
translated differently there? Say that it must be translated alike if another word would be worse,
because readers would take it for another thing: terms, names, parties. Say that it may be
translated differently if another word would do as well everywhere, or mark just the places where it
would.
""",
}
