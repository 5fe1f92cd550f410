"""Results, and the transactions behind them, as files: CSV and Parquet."""
