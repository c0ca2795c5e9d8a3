"""How well do scores agree with people? Numbers in, statistics out.

`value` and `matrix` hold the conventions, `correlation`, `ties`, `darr` and `ranking` the
statistics, `intervals` and `significance` what chance could have done to them. Nothing here knows
which metric made a score, so anyone's scores can be judged.
"""
