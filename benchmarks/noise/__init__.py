"""Forecasts from noisy rows, with gaps or of one variable, beside what the rows allow at all.

`python -m noise.systems` integrates the flows, `python -m noise.run` measures and collects into
noise.json, `python -m noise.summary` prints tables of what is there, `python -m noise.render`
draws.
`make noise` does all of them.
"""
