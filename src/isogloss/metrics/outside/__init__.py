"""Other people's metrics: commands, programs in Python environments of their own, language models.

A translation's segments go out as rows of text, and a score for each comes back. What is not scored
there is `None` here, whatever the reason, and the reason is remarked.
"""
