"""`python -m bench`: measure, print, keep."""

import argparse
import signal
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType

from bench import kill, memory, pages, report, report_findings, reports, speed, webhooks

_DEFAULT = speed.Effort(rounds=5, seconds=8)
_QUICK = speed.Effort(rounds=2, seconds=3)


def main() -> None:
    """Parse and run one mode."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    modes = parser.add_mutually_exclusive_group()
    parser.add_argument("--quick", action="store_true", help="a minute, for work in progress")
    modes.add_argument("--memory", action="store_true", help="memory and rate over many swaps")
    modes.add_argument("--webhooks", action="store_true", help="events delivered, and how late")
    modes.add_argument("--reports", action="store_true", help="reports on seeded organisations")
    modes.add_argument(
        "--pages", action="store_true", help="the dashboard of a seeded organisation"
    )
    modes.add_argument("--kill", action="store_true", help="kill everything under load, then prove")
    parser.add_argument("--swaps", type=int, default=1_000_000, help="how many, with --memory")
    parser.add_argument("--transactions", type=int, help="how many, with --reports or --pages")
    parser.add_argument("--data", type=Path, help="where to keep what was seeded, likewise")
    parser.add_argument("--rounds", type=int, help="instead of the mode's own number")
    given = parser.parse_args()
    # Servers are stopped and directories removed on the way out, also when somebody ends us.
    signal.signal(signal.SIGTERM, _leave)
    if given.kill:
        sys.exit(0 if kill.prove(_say, rounds=given.rounds or 1) else 1)
    if given.memory:
        memory.measure(given.swaps, _say)
        return
    if given.webhooks:
        chosen = webhooks.QUICK if given.quick else webhooks.DEFAULT
        webhooks.keep(webhooks.measure(chosen, _say), is_kept=not given.quick, say=_say)
        return
    if given.reports:
        asked = reports.QUICK if given.quick else reports.DEFAULT
        asked = replace(asked, transactions=given.transactions or asked.transactions)
        found = reports.measure(asked, _say, given.data)
        report_findings.keep(found, is_kept=not given.quick, say=_say)
        return
    if given.pages:
        wanted = pages.QUICK if given.quick else pages.DEFAULT
        wanted = replace(wanted, transactions=given.transactions or wanted.transactions)
        pages.keep(pages.measure(wanted, _say, given.data), is_kept=not given.quick, say=_say)
        return
    effort = _QUICK if given.quick else _DEFAULT
    if given.rounds:
        effort = speed.Effort(given.rounds, effort.seconds)
    result = speed.measure(effort, _say)
    table = report.markdown(result)
    print(f"\n{table}\n")
    if not given.quick:
        kept = report.write("latest", "Speed", table, report.figures(result))
        _say(f"Kept in {kept} and latest.md beside it.")


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


main()
