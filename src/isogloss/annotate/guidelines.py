"""What annotators are told of each phase, unless the organiser tells them something else.

``init`` writes these texts to ``guidelines.md``. The first heading of each is what pages call the
phase, so that the page of a task opens the guidelines there.
"""

from collections.abc import Mapping

from isogloss.annotate.campaign import Phase

_CONTEXT = """- Every line stands in a document. Read what comes before it: what is clear from
  there is no error.
- Judge what is there, not how you would have put it. Other words than yours are no error.
- The order of the translations says nothing, and none of them is known to be good.
- Where you are not sure, decide as you would for a reader, and go on: nobody is always sure."""

_SCALE = """- **0**: nothing of the meaning is there, or it cannot be read.
- **33**: some of it is there; important parts are wrong or missing.
- **66**: most of it is there; there are errors one stumbles over, or a smaller one of meaning.
- **100**: all of it is there, and it reads like a text that was written in this language.

Use the numbers between them, too."""

_SEVERITIES = """- **Minor**: one stumbles over it and still understands what the source says: a
  wrong comma, an awkward word.
- **Major**: one understands something else, or nothing: a wrong number, a wrong person, a part
  that is missing.
- **Critical**: harm may come of it: a wrong dose, a "not" that is gone from a warning."""

_MARKING = """- Mark as few words as say what is wrong: in "pays 15,800 crowns" only the number.
- The same error at two places is two errors; one error over several words is one.
- Words that the translation adds: mark them there and say that they were added.
- Words that it leaves out: mark them in the source, or say that something was left out.
- Most segments have few errors or none. Do not look for some at any price."""

GUIDELINES: Mapping[Phase, str] = {
    "phase1": f"""# Lines

You rate every line of every translation, and report expressions on which much depends.

## What to do

Read the source document first. Then, line by line, say of each translation:

- **Adequacy**: how much of the meaning of the source line is there? 0 is nothing, 0.5 half of it,
  1 everything. How well it reads does not count here.
- **Fluency**: how well does the line read by itself? 0 is not at all, 1 like a text by a native
  writer. Whether it says the right thing does not count here: a fluent line may be quite wrong.

## Markables

A markable is an expression on which the meaning of the document hangs: a party of a contract, a
name, a term, a number.

- Tick **conflicting** where a translation confuses markables with each other: tenant and landlord
  become the same word.
- Select the words, in the source or in a translation, where a markable went wrong. Others will
  look at it at all its places.
- Where no words can be selected, write a note.

## How to decide

{_CONTEXT}
""",
    "phase2": """# Markables

You follow one expression of the source through the document, in all translations.

## What to do

For each place and translation say which phenomena you see and how severe each is, from 0
(harmless) to 1 (the document cannot be used), or say that there is no error. Several may apply at
once. If the words that stand for the markable are marked wrongly, set them right.

- **Non-translated**: left in the source language though it should not be.
- **Over-translated**: translated though it should stay as it is: a name, a brand.
- **Terminology**: not the term that the field uses.
- **Style**: the right term of the wrong register.
- **Sense**: a word of another meaning: *bank* of a river for a bank with money.
- **Typography**: capitals, number format, punctuation.
- **Semantic role**: who does what to whom is turned around.
- **Other grammar**: the markable stands in a wrong form.
- **Inconsistency**: translated in another way than at other places, so that readers may take it
  for something else.
- **Conflict**: cannot be told apart from another markable.
- **Disappearance**: not there at all, nor clear from what stands around it.

## How to decide

- Look at what went before: the table below the translations shows all places.
- A pronoun is no disappearance where everybody knows whom it means.
- Severity is about the document: would somebody who relies on it go wrong?
- "Same as" takes over what you said of another translation that has the same words.
""",
    "da": f"""# Scores

How well does the translation say what the source says, in its place in the document?

## What to do

Read the segment of the source and each translation, and move the slider, or type a number.

{_SCALE}

## How to decide

{_CONTEXT}
- Wrong numbers, names and negations cost much, however well the line reads.
- Equal translations get equal scores.
""",
    "spans": f"""# Errors

You mark the errors of each segment and give it a score.

## What to do

Mark every error and say how bad it is:

{_SEVERITIES}

Then give the segment a score from 0 to 100:

{_SCALE}

## What to mark

{_MARKING}

## How to decide

{_CONTEXT}
- Where errors are marked already, a program or somebody else proposed them. Keep what is right,
  remove what is not, and look for what was overlooked as if nothing were marked.
""",
    "contrastive": f"""# Errors, side by side

You see one segment of the document in all translations. Read them all before you score any of
them.

## What to do

Mark every error and say how bad it is:

{_SEVERITIES}

Then give each translation a score from 0 to 100. All stand on one scale: the better of two gets
the higher score, and how far they lie apart says how much better it is.

{_SCALE}

## What to mark

{_MARKING}

## How to decide

{_CONTEXT}
- The same error in two translations is marked in both, with the same severity.
- Translations with the same words are judged once. Where their neighbours make a difference to
  them, judge them apart.
""",
    "document": """# Whole documents

Read the source and each translation from beginning to end. How well does the translation do as a
document?

## What to ask yourself

- Does it say all that the source says, and nothing else?
- Do its sentences follow from each other, as they do in the source?
- Is the same thing called by the same name, and different things by different ones?
- Does "it", "he" or "this" lead to the right one?
- Would its readers take it for a text that was written in their language?

## The score

- **0**: of no use.
- **33**: one learns what it is about; whoever relies on it goes wrong.
- **66**: it does its work, with errors that readers notice.
- **100**: one would hand it on as it is.

One bad sentence does not spoil a document unless readers depend on it; a wrong name that runs
through all of it may.
""",
    "preference": """# Better translations

You see two translations of a document side by side. Read both to the end and say which one you
would rather hand to somebody who needs it, and why.

## How to decide

- What a text says comes first: wrong numbers, wrong names and missing parts weigh more than how
  it reads.
- Then whether it hangs together: the same thing by the same name, sentences that follow from each
  other.
- Then how it reads, and whether its tone suits its readers.
- Small differences count. Say that they are equally good only where you would not mind which one
  is taken.
- Choose all reasons that made you decide; your own words are welcome.
- Left and right say nothing: each pair stands in an order of its own.
""",
    "consistency": """# Repeated words

You see a word that the document repeats, at all its places, with a translation by people. May it
be translated differently there?

## What to say

- **Must be translated alike**: another word would be worse, because readers would take it for
  another thing. Terms, names, parties of a contract, parts of a machine.
- **May be translated differently**: another word would do as well everywhere. Ordinary verbs and
  adjectives, words that good style varies.
- **Only some places**: mark those at which another word would do.
- **Not sure**: counts as no answer. Better than a guess.

## How to decide

- Think of the reader of the translation, who does not see the source.
- What the people's translation did is an example, not the answer.
- A form of the same word (plural, case, tense) is no other word.
""",
}
