"""Route of the state machines: /v2/state-machines. Ours; docs/reference/state-machines.md."""

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.payments.engine.state_machines import StateMachineList, StateMachines


class StateMachineRoutes(Controller):
    """Route of the state machines."""

    path = "/v2/state-machines"
    tags = ("Transactions",)

    @get(summary="List state machines", operation_id="transactions.listStateMachines")
    async def all(self, state_machines: NamedDependency[StateMachines]) -> StateMachineList:
        """List the statuses of every kind of record, what follows each, and whom it waits for.

        The same for all organisations; it changes only with a new version of Landbridge. The
        OpenAPI document has it as `x-state-machines`.
        """
        return state_machines.list()
