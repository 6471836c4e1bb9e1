"""The league: forecasts of the flows of `dysts`, ours beside the peers'.

`python -m league.systems` integrates the flows, `python -m league.run` forecasts them and collects
the results into league.json, `python -m league.render` draws them. `make league` does all three.
"""
