"""Calls of markets: what is signed, counted, and refused."""

from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from landbridge.providers.chains.markets import SwapProvider
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import encode_approve, encode_transfer
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.market_configuration import (
    MarketContracts,
    MarketPool,
    RouterInterface,
)
from landbridge.providers.evm.markets.contract_calls import SWAP_02, SWAP_WITH_DEADLINE, encode_swap
from landbridge.providers.evm.signer_limits import AmountLimits
from landbridge.providers.evm.signing.model import AccountCall, SigningRefused
from landbridge.providers.evm.signing.signer import ChainSigner
from tests.providers.evm.signing.kit import (
    RECIPIENT,
    STRANGER,
    USDC,
    USDT,
    chain_with,
    signing,
    transaction,
    user_key,
)

USER = user_key()
ROUTER, QUOTER, POOL = ("0x" + digit * 40 for digit in "678")
MARKET = MarketContracts(
    interface=RouterInterface.ROUTER_02,
    router=ROUTER,
    quoter=QUOTER,
    pools=(
        MarketPool(
            currencies=frozenset({"usdc", "usdt"}),
            address=POOL,
            fee=100,
            provider=SwapProvider.TREASURY,
        ),
    ),
    slippage_bps=10,
    patience_s=300,
    least_rate=Decimal("0.98"),
    coin_price=None,
)


def chain(interface: RouterInterface = RouterInterface.ROUTER_02) -> EvmChain:
    market = msgspec.structs.replace(MARKET, interface=interface)
    limits = {"usdc": AmountLimits(day_max_units=2_000_000)}
    delegate = "0x" + "5" * 40
    return msgspec.structs.replace(chain_with(limits), market=market, delegate_contract=delegate)


def sale(*, interface: RouterInterface = RouterInterface.ROUTER_02, **others: object) -> bytes:
    values: dict[str, object] = {
        "sold": USDC,
        "bought": USDT,
        "fee": 100,
        "recipient": RECIPIENT,
        "deadline_s": 2**31,
        "amount_units": 1_000_000,
        "least_units": 980_000,
    }
    return encode_swap(interface, **values | others)  # pyright: ignore[reportArgumentType]


def call(data: bytes, destination: str = ROUTER, value_wei: int = 0) -> AccountCall:
    return AccountCall(destination=destination, value_wei=value_wei, data=data)


def approval(spender: str = ROUTER, token: str = USDC) -> AccountCall:
    return call(encode_approve(spender=spender, amount_units=1_000_000), token)


def sign(signer: ChainSigner, *calls: AccountCall, nonce: int = 1) -> bytes:
    return signer.sign_account_calls(
        USER, Network.POLYGON, calls, nonce=nonce.to_bytes(32), deadline_s=2**31
    )


@pytest.mark.parametrize("interface", list(RouterInterface))
def test_a_sale_is_signed_and_counted(tmp_path: Path, interface: RouterInterface) -> None:
    with signing(tmp_path, chain(interface)) as (signer, _):
        fee = call(encode_transfer(destination=RECIPIENT, amount_units=1000), USDC)
        assert sign(signer, approval(), call(sale(interface=interface)), fee)
        assert signer.total(Network.POLYGON, "usdc") == 1_001_000
        # The bound of the day holds for sales as well.
        with pytest.raises(SigningRefused, match="would be signed for"):
            sign(signer, call(sale(interface=interface)), nonce=2)


@pytest.mark.parametrize(
    "wrong",
    [
        call(sale(), STRANGER),
        call(sale(), QUOTER),
        call(sale(), value_wei=1),
        call(sale(interface=RouterInterface.ROUTER)),
        call(sale(least_units=979_999)),
        call(sale(least_units=0)),
        call(sale(amount_units=0, least_units=0)),
        call(sale(fee=500)),
        call(sale(bought=STRANGER)),
        call(sale(sold=STRANGER)),
        call(sale(bought=USDC)),
        *(call(sale(recipient=f"0x{number:040x}")) for number in range(3)),
        call(SWAP_02.encode(USDC, USDT, 100, RECIPIENT, 1_000_000, 980_000, 5)),
        call(sale() + b"\0"),
        call(sale()[:-1]),
        call(b"\x12\x34\x56\x78" + sale()[4:]),
        approval(spender=STRANGER),
        approval(spender=QUOTER),
        approval(spender=POOL),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, wrong: AccountCall) -> None:
    with signing(tmp_path, chain()) as (signer, _):
        with pytest.raises(SigningRefused):
            sign(signer, approval(), wrong)
        assert signer.total(Network.POLYGON, "usdc") == 0


def test_a_sale_is_signed_only_with_the_calls_of_an_account(tmp_path: Path) -> None:
    with signing(tmp_path, chain()) as (signer, _):
        with pytest.raises(SigningRefused, match="no known contract"):
            signer.sign_transaction(USER, transaction(sale(), destination=ROUTER))
        for contract in (ROUTER, QUOTER, POOL):
            with pytest.raises(SigningRefused, match="would keep the coins"):
                signer.sign_transaction(USER, transaction(destination=contract, value_wei=1))


def test_without_a_market_no_sale_is_signed(tmp_path: Path) -> None:
    bare = msgspec.structs.replace(chain(), market=None)
    with signing(tmp_path, bare) as (signer, _):
        for wrong in (call(sale()), approval()):
            with pytest.raises(SigningRefused):
                sign(signer, wrong)


def test_selectors_are_those_of_the_contracts() -> None:
    # Source: Uniswap/v3-periphery, ISwapRouter; Uniswap/swap-router-contracts, IV3SwapRouter.
    assert SWAP_WITH_DEADLINE.selector.hex() == "414bf389"
    assert SWAP_02.selector.hex() == "04e45aaf"
