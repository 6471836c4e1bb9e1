"""Jobs on people's own series: forecast with a backtest, fit and predict, analyse. Pure functions first, files and pages last."""
