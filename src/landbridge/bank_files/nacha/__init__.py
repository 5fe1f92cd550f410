"""NACHA: the files in which ACH payments go to a bank, and in which returns come back."""
