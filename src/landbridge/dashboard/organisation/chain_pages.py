"""Connected chains: nodes, orders, treasury, and accounts that send transactions."""

from collections.abc import Sequence
from typing import Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.customers.chain_operations.schemas import ChainList, ChainReply
from landbridge.customers.chain_operations.service import ChainOperations
from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.platform.formats.translations import later as _

_HOME: Final = "/dashboard/chains"
_API = "/v2/chains"
# A block is late after this time on every supported chain.
_LAG_MAX_S = 120


class ChainPages(Controller):
    """`/dashboard/chains`; the menu has it only where chains are connected."""

    path = "/chains"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """List the connected chains."""
        found = (await request.interface.read(ChainList, _API)).chains
        return request.page(
            "organisation/chains.html", chains=[(each, chain_problems(each)) for each in found]
        )

    @get("/{name:str}")
    async def show(
        self,
        request: PageRequest,
        name: FromPath[str],
        *,
        chain_operations: NamedDependency[ChainOperations],
    ) -> Response[str]:
        """Show one chain."""
        chain = await request.interface.read(ChainReply, f"{_API}/{name}")
        return request.page(
            "organisation/chain.html",
            chain=chain,
            problems=chain_problems(chain),
            may_resume_relayers=await chain_operations.may_resume_relayers(request.user.caller),
        )

    @post("/{name:str}/resume", fresh=f"{_HOME}/{{name}}")
    async def resume(
        self,
        request: PageRequest,
        name: FromPath[str],
        chain_operations: NamedDependency[ChainOperations],
    ) -> Page:
        """Let a stopped account send again."""
        form = await read_form(request)
        await chain_operations.resume_for(request.user.caller, name, form.text("address"))
        return redirect(f"{_HOME}/{name}", notice=_("Account resumed"))


def chain_problems(chain: ChainReply) -> Sequence[str]:
    """Return what needs attention on a chain."""
    head, installation = chain.head, chain.installation
    accounts = () if installation is None else installation.accounts
    nodes = () if installation is None else installation.nodes
    found = {
        _("No node answers"): head is None,
        _("The latest block is late"): head is not None and head.lag_seconds > _LAG_MAX_S,
        _("A node is not available"): head is not None
        and any(not each.is_healthy for each in nodes),
        _("An account is stopped"): any(each.stopped_at for each in accounts),
        _("A relayer is below its floor"): any(each.is_low for each in accounts),
        _("The treasury is below its floor"): any(each.is_low for each in chain.treasury.tokens),
    }
    return [text for text, is_so in found.items() if is_so]
