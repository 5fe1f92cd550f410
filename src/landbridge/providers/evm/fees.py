"""Fee policy: fees per gas of a transaction, and of its replacements. All amounts are wei per gas.

Guarantees: the tip is never above the maximum fee, and the maximum fee never above the cap. A
replacement raises both fields by an eighth at least: nodes refuse less than a tenth.
"""

import msgspec

from landbridge.platform.core.errors import LandbridgeError
from landbridge.providers.evm.configuration import EvmChain

# A block raises the base fee by at most an eighth, so twice the fee suffices for five full blocks.
_BASE_FEE_FACTOR = 2
# A replacement raises fees by 9/8, rounded up.
_RAISE_NUMERATOR, _RAISE_DENOMINATOR = 9, 8
_GWEI_WEI = 10**9
# Lowest tips by chain id, which validators accept or include reliably. Polygon's nodes refuse less
# than 25 gwei (documented by Polygon); the other chains have no fixed minimum.
_TIP_FLOORS_WEI = {137: 25 * _GWEI_WEI}
# Lowest tip elsewhere: zero is valid, but a full pool drops such a transaction first.
_TIP_FLOOR_WEI = 1_000_000


class FeeAboveCap(LandbridgeError):
    """The chain's fee exceeds the configured cap: wait, or raise the cap."""


class FeePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of a chain's fees: lowest tip, and highest maximum fee (None for no cap)."""

    tip_floor_wei: int
    max_fee_cap_wei: int | None


class GasFees(msgspec.Struct, frozen=True, kw_only=True):
    """Fees of an EIP-1559 transaction: the maximum per gas, and the validator's tip within it."""

    max_fee_wei: int
    tip_wei: int


def fee_policy(chain: EvmChain) -> FeePolicy:
    """Return the fee policy of a chain."""
    floor = _TIP_FLOORS_WEI.get(chain.chain_id, _TIP_FLOOR_WEI)
    return FeePolicy(tip_floor_wei=floor, max_fee_cap_wei=chain.max_fee_cap_wei)


def estimate_fees(policy: FeePolicy, *, base_fee_wei: int, tip_wei: int) -> GasFees:
    """Return the current fees for a transaction: twice the base fee plus the tip, within the cap.

    `base_fee_wei` is the next block's, `tip_wei` is suggested by the node.

    Raises:
        FeeAboveCap: Even the next block would cost more than the cap.
    """
    tip = max(tip_wei, policy.tip_floor_wei)
    _check_cap(policy, base_fee_wei + tip)
    max_fee = base_fee_wei * _BASE_FEE_FACTOR + tip
    if policy.max_fee_cap_wei is not None:
        max_fee = min(max_fee, policy.max_fee_cap_wei)
    return GasFees(max_fee_wei=max_fee, tip_wei=tip)


def replacement_fees(policy: FeePolicy, *, previous: GasFees, current: GasFees) -> GasFees:
    """Return the fees that replace `previous`: raised by an eighth, or `current` if that is more.

    Raises:
        FeeAboveCap: The replacement would exceed the cap; the previous transaction stays valid.
    """
    max_fee = max(_raised(previous.max_fee_wei), current.max_fee_wei)
    _check_cap(policy, max_fee)
    return GasFees(max_fee_wei=max_fee, tip_wei=max(_raised(previous.tip_wei), current.tip_wei))


def _raised(wei: int) -> int:
    return max(-(-wei * _RAISE_NUMERATOR // _RAISE_DENOMINATOR), wei + 1)


def _check_cap(policy: FeePolicy, max_fee_wei: int) -> None:
    cap = policy.max_fee_cap_wei
    if cap is not None and max_fee_wei > cap:
        raise FeeAboveCap(f"the fee would be {max_fee_wei} wei per gas, above the cap of {cap}")
