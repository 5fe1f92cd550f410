"""Templates of our own, beside those of the contract."""

from landbridge.reporting.metrics.model import Template
from landbridge.reporting.metrics.ours.approval_turnaround import APPROVAL_TURNAROUND
from landbridge.reporting.metrics.ours.balances import BALANCES
from landbridge.reporting.metrics.ours.completion_time import COMPLETION_TIME
from landbridge.reporting.metrics.ours.fees import FEES
from landbridge.reporting.metrics.ours.outcomes import OUTCOMES
from landbridge.reporting.metrics.ours.swap_volume import SWAP_VOLUME
from landbridge.reporting.metrics.ours.webhook_health import WEBHOOK_HEALTH

OURS: tuple[Template, ...] = (
    SWAP_VOLUME,
    FEES,
    OUTCOMES,
    COMPLETION_TIME,
    APPROVAL_TURNAROUND,
    WEBHOOK_HEALTH,
    BALANCES,
)
