"""The one search: candidates are tried and ranked, the best are learned again, the lower of two
scores counts. The estimators supply what a trial is.
"""
