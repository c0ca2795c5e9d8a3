"""Words that carry discourse, held against the reference: pronouns, connectives, address, verbs."""
