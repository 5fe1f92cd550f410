"""The ways money moves: siblings of one shape, strangers to each other.

A flow is its moves and details (model), its verbs (service), what the worker does at each status
(steps) and its wire shapes (api). Money and states are moved by the ledger.
"""
