"""The chapter "classification" of the league: problems of the UCR and UEA archives that ship inside
the wheels of other packages, classified by this library and its peers. `make league-classification`
runs it.
"""
