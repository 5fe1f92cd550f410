"""What every adapter of simulated chains answers about bridges."""

from landbridge.platform.core.money import Asset


class SimulatedBridges:
    """Bridges of all coins; what was burned can be minted back."""

    def find_bridge_refusal(self, source: Asset, destination: Asset) -> str | None:
        del source, destination

    def refunds_burns(self, chain: str) -> bool:
        del chain
        return True
