"""METEOR 1.5 (Denkowski & Lavie 2014), written afresh: the same numbers as the Java program's."""
