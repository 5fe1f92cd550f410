"""EBANX for Landbridge: payouts by PIX and SPEI. Built from documentation, never run live."""

from landbridge_ebanx.adapter import EbanxPayouts

__all__ = ["EbanxPayouts"]
