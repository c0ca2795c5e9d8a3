"""Training a paraphraser: from parallel text to a model folder that `prism` can score with.

The steps are bitext → filters → vocabulary → packed data → trainer → export. Each is a function
here and a command of ``python -m isogloss.training``. This is the only room that imports torch,
and it runs from a plain copy of the sources on a machine that has just torch, numpy and
sentencepiece: everything else is imported where it is used.
"""
