"""Fee policy: floors, caps, and replacements that nodes accept."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.configuration import parse_chains
from landbridge.providers.evm.fees import (
    FeeAboveCap,
    FeePolicy,
    GasFees,
    estimate_fees,
    fee_policy,
    replacement_fees,
)
from tests.providers.evm.test_configuration import CHAIN

GWEI = 10**9
WEI = st.integers(0, 10**15)
POLICIES = st.builds(FeePolicy, tip_floor_wei=WEI, max_fee_cap_wei=st.none() | WEI)
FEES = st.tuples(WEI, WEI).map(lambda pair: GasFees(max_fee_wei=sum(pair), tip_wei=pair[1]))


def test_policy_has_the_floor_of_the_chain_and_the_configured_cap() -> None:
    chain = parse_chains(CHAIN)[Network.POLYGON]
    assert fee_policy(chain) == FeePolicy(tip_floor_wei=25 * GWEI, max_fee_cap_wei=500_500_000_000)
    other = msgspec.structs.replace(chain, chain_id=1, max_fee_cap_wei=None)
    assert fee_policy(other).max_fee_cap_wei is None


def test_estimate_has_room_for_rising_base_fees() -> None:
    policy = FeePolicy(tip_floor_wei=2 * GWEI, max_fee_cap_wei=50 * GWEI)
    assert estimate_fees(policy, base_fee_wei=10 * GWEI, tip_wei=GWEI) == GasFees(
        max_fee_wei=22 * GWEI, tip_wei=2 * GWEI
    )
    assert estimate_fees(policy, base_fee_wei=40 * GWEI, tip_wei=GWEI).max_fee_wei == 50 * GWEI
    with pytest.raises(FeeAboveCap, match="above the cap of 50000000000"):
        estimate_fees(policy, base_fee_wei=49 * GWEI, tip_wei=GWEI)


@given(policy=POLICIES, base_fee_wei=WEI, tip_wei=WEI)
def test_estimate_is_within_its_bounds(policy: FeePolicy, base_fee_wei: int, tip_wei: int) -> None:
    cap = policy.max_fee_cap_wei
    try:
        fees = estimate_fees(policy, base_fee_wei=base_fee_wei, tip_wei=tip_wei)
    except FeeAboveCap:
        assert cap is not None
        assert base_fee_wei + max(tip_wei, policy.tip_floor_wei) > cap
        return
    assert fees.tip_wei >= max(tip_wei, policy.tip_floor_wei)
    # The next block can include it, and pays the tip in full.
    assert base_fee_wei + fees.tip_wei <= fees.max_fee_wei
    assert cap is None or fees.max_fee_wei <= cap


@given(policy=POLICIES, previous=FEES, current=FEES)
def test_replacement_raises_both_fields_by_an_eighth(
    policy: FeePolicy, previous: GasFees, current: GasFees
) -> None:
    cap = policy.max_fee_cap_wei
    try:
        fees = replacement_fees(policy, previous=previous, current=current)
    except FeeAboveCap:
        assert cap is not None
        assert max(previous.max_fee_wei * 9 // 8 + 1, current.max_fee_wei) > cap
        return
    for old, now, new in (
        (previous.max_fee_wei, current.max_fee_wei, fees.max_fee_wei),
        (previous.tip_wei, current.tip_wei, fees.tip_wei),
    ):
        assert new > old
        assert 8 * new >= 9 * old
        assert new >= now
        # Not more than the rounding demands.
        assert new == now or new == old + 1 or 8 * (new - 1) < 9 * old
    assert fees.tip_wei <= fees.max_fee_wei
    assert cap is None or fees.max_fee_wei <= cap
