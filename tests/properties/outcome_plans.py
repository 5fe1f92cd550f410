"""Generated plans of scripted outcomes."""

from hypothesis import strategies as st

from landbridge.providers.simulation.outcome_catalog import CATALOGUE

_STEPS_MAX = 3


def plans(kind: str) -> st.SearchStrategy[str | None]:
    """Generate a plan for this kind with up to three steps, or none."""
    own = [each for each in CATALOGUE if kind in each.kinds]
    some = st.lists(
        st.sampled_from(own), min_size=1, max_size=_STEPS_MAX, unique_by=lambda each: each.step
    )
    return st.none() | some.map(
        lambda outcomes: ";".join(f"{each.step}={each.name}" for each in outcomes)
    )
