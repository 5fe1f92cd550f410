"""Increase for Landbridge: ACH, wires, RTP and FedNow. Built from documentation, never run live."""

from landbridge_increase.adapter import IncreaseBank

__all__ = ["IncreaseBank"]
