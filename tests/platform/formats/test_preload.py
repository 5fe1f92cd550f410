import subprocess
import sys

# Hooks see for as long as a process lives, so this one is its own.
_FIRST_USE = """
import sys
from landbridge.platform.formats import addresses, bank_numbers, people, tax
from landbridge.platform.formats.preload import warm_up

if sys.argv[1] == "warm":
    warm_up()
loaded = []

def look(event, args):
    # Modules are counted once, be they compiled or not.
    if event == "import" or event == "open" and ".py" not in str(args[0]):
        loaded.append(args[0])

sys.addaudithook(look)
people.check_phone("f", "+4930123456")
people.check_email("f", "a@example.org")
addresses.check_region("f", "BRA", "SP")
bank_numbers.check_iban("f", "DE89370400440532013000")
bank_numbers.check_bic("f", "COBADEFF")
tax.check_tax_number("f", "536-90-4398", country="USA")
print(len(loaded), loaded[:9])
"""


def _loaded(how: str) -> tuple[int, str]:
    """Return how many files and modules the checks open at first use, and some of them."""
    ran = subprocess.run(
        [sys.executable, "-c", _FIRST_USE, how], capture_output=True, text=True, check=True
    )
    count, _, which = ran.stdout.partition(" ")
    return int(count), which


def test_after_warming_checks_load_hardly_anything() -> None:
    cold, _ = _loaded("cold")
    warm, which = _loaded("warm")
    # The numbers of a country are loaded with its first use.
    assert warm <= 1, which
    assert cold > 50
