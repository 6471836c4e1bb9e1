"""Long free runs: are they still the system?

`python -m climate.systems` integrates the flows, `python -m climate.run` measures and collects into
climate.json, `python -m climate.render` prints tables and draws. `make climate` does all of them.
"""
