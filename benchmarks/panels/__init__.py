"""Panels of related series, forecast by one model for all and by the methods that people use."""
