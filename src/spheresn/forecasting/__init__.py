"""How good is a forecast: backtests, simple methods to compare with, intervals."""
