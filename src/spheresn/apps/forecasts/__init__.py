"""Forecasts of people's tables and the words about them: for the command line and the explorer."""
