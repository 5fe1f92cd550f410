import subprocess
import sys

_FIRST_USE = """
import time
from landbridge.formats import banks, people, places
from landbridge.formats.warm import warm_up

warm_up()
began = time.process_time()
people.check_phone("f", "+4930123456")
people.check_email("f", "a@example.org")
places.check_region("f", "BRA", "SP")
banks.check_iban("f", "DE89370400440532013000")
banks.check_bic("f", "COBADEFF")
print(time.process_time() - began)
"""


def test_after_warming_no_check_takes_long_at_first() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _FIRST_USE], capture_output=True, text=True, check=True
    )
    # Of the processor's time, which others on this machine take none of.
    # A tenth of a second and more without it, most of which loads what any number needs.
    assert float(ran.stdout) < 0.03
