"""Forecasts of a user's table and their summary, for the command line and the explorer."""
