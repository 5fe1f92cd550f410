"""Payment flows, which do not import each other, and what they share.

A flow has its statuses and details (model), its verbs (service), the worker's step for each status
(steps), and its requests and responses (api). The ledger alone moves money and changes statuses.
"""
