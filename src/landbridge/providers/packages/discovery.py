"""Finds the installed package of a provider by its entry point, without importing it."""

from importlib.metadata import EntryPoint, entry_points

from landbridge.platform.core.errors import LandbridgeError

GROUP = "landbridge.providers"


class ProviderPackageFailed(LandbridgeError):
    """A package can't be found, imported or started; the sentence names its provider."""


def find_package(provider: str, package: str) -> EntryPoint:
    """Return the entry point with this name.

    Raises:
        ProviderPackageFailed: No installed package declares it, or more than one.
    """
    found = list(entry_points(group=GROUP, name=package))
    if not found:
        known = sorted({each.name for each in entry_points(group=GROUP)})
        shown = f"there are {', '.join(known)}" if known else "there are none"
        raise ProviderPackageFailed(
            f"providers.{provider}.package names {package}, an entry point of {GROUP} that no "
            f"installed package declares; {shown}"
        )
    if len(found) > 1:
        names = ", ".join(sorted(each.dist.name if each.dist else each.value for each in found))
        raise ProviderPackageFailed(
            f"providers.{provider}.package names {package}, an entry point of {GROUP} that several "
            f"installed packages declare: {names}"
        )
    return found[0]
