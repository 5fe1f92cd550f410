"""Landbridge's own templates, beside those of the contract."""

from landbridge.reporting.metrics.builtin.approval_turnaround import APPROVAL_TURNAROUND
from landbridge.reporting.metrics.builtin.balances import BALANCES
from landbridge.reporting.metrics.builtin.completion_time import COMPLETION_TIME
from landbridge.reporting.metrics.builtin.fees import FEES
from landbridge.reporting.metrics.builtin.outcomes import OUTCOMES
from landbridge.reporting.metrics.builtin.swap_volume import SWAP_VOLUME
from landbridge.reporting.metrics.builtin.webhook_health import WEBHOOK_HEALTH
from landbridge.reporting.metrics.model import MetricTemplate

OURS: tuple[MetricTemplate, ...] = (
    SWAP_VOLUME,
    FEES,
    OUTCOMES,
    COMPLETION_TIME,
    APPROVAL_TURNAROUND,
    WEBHOOK_HEALTH,
    BALANCES,
)
