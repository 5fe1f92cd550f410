"""NACHA files: ACH payments to a bank, and their returns."""
