"""Quotes: amount sent, amount received, rate and fee."""
