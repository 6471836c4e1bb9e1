"""Estimators in the form of other packages; each module needs its package installed."""
