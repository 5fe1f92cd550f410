"""Command line of the benchmarks: measure, print and store figures."""

import argparse
import signal
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType

from bench import (
    capacity,
    chain_transfers,
    idle,
    kill,
    memory,
    pages,
    proofs,
    report,
    report_findings,
    reports,
    speed,
    verbs,
    webhooks,
    workers,
)

_DEFAULT = speed.Effort(rounds=5, seconds=8)
_QUICK = speed.Effort(rounds=2, seconds=3)
_IDLE_S, _IDLE_QUICK_S = 120.0, 20.0


def main() -> None:
    """Parse and run one mode."""
    given = _parse_arguments()
    # Stop servers and remove directories on exit, also on SIGTERM.
    signal.signal(signal.SIGTERM, _leave)
    if given.kill:
        sys.exit(0 if kill.run_crash_test(_say, rounds=given.rounds or 1) else 1)
    if given.verbs:
        sys.exit(_measure_verbs(given))
    if given.capacity:
        print(f"\n{capacity.markdown(capacity.measure(_effort(given), _say))}\n")
        return
    if given.memory or given.idle or given.workers or given.proofs:
        _measure_process(given)
        return
    if given.chains:
        chain_effort = chain_transfers.QUICK if given.quick else chain_transfers.DEFAULT
        print(chain_transfers.markdown(chain_transfers.measure(chain_effort, _say)))
        return
    if given.webhooks:
        chosen = webhooks.QUICK if given.quick else webhooks.DEFAULT
        webhooks.store_report(
            webhooks.measure(chosen, _say), is_stored=not given.quick, print_line=_say
        )
        return
    if given.reports:
        report_effort = reports.QUICK if given.quick else reports.DEFAULT
        report_effort = replace(
            report_effort, transactions=given.transactions or report_effort.transactions
        )
        found = reports.measure(report_effort, _say, given.data)
        report_findings.store_report(found, is_stored=not given.quick, print_line=_say)
        return
    if given.pages:
        page_effort = pages.QUICK if given.quick else pages.DEFAULT
        page_effort = replace(
            page_effort, transactions=given.transactions or page_effort.transactions
        )
        pages.store_report(
            pages.measure(page_effort, _say, given.data), is_stored=not given.quick, print_line=_say
        )
        return
    _measure_speed(given)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    modes = parser.add_mutually_exclusive_group()
    parser.add_argument(
        "--quick", action="store_true", help="run for a minute only, for work in progress"
    )
    modes.add_argument("--memory", action="store_true", help="memory and rate over many swaps")
    modes.add_argument("--idle", action="store_true", help="CPU time of a server nobody uses")
    modes.add_argument("--workers", action="store_true", help="a backlog with one worker and two")
    modes.add_argument("--capacity", action="store_true", help="one API process, two and three")
    modes.add_argument("--proofs", action="store_true", help="what provable books cost")
    modes.add_argument("--chains", action="store_true", help="transfers on a local EVM chain")
    modes.add_argument("--webhooks", action="store_true", help="webhook throughput and delay")
    modes.add_argument("--reports", action="store_true", help="reports on seeded organisations")
    modes.add_argument(
        "--pages", action="store_true", help="the dashboard of a seeded organisation"
    )
    modes.add_argument("--verbs", action="store_true", help="CPU per call of the common verbs")
    modes.add_argument(
        "--kill", action="store_true", help="kill processes under load, then check the data"
    )
    parser.add_argument("--check", action="store_true", help="fail on growth, with --verbs")
    parser.add_argument("--write", action="store_true", help="renew the baseline, with --verbs")
    parser.add_argument("--swaps", type=int, default=1_000_000, help="number, with --memory")
    parser.add_argument("--organisations", type=int, default=0, help="number, with --idle")
    parser.add_argument("--transactions", type=int, help="number, with --reports or --pages")
    parser.add_argument("--data", type=Path, help="directory to keep seeded data in, likewise")
    parser.add_argument("--rounds", type=int, help="instead of the mode's own number")
    return parser.parse_args()


def _measure_process(given: argparse.Namespace) -> None:
    if given.memory:
        memory.measure(given.swaps, _say)
    elif given.workers:
        workers.measure(workers.QUICK if given.quick else workers.DEFAULT, _say)
    elif given.proofs:
        proofs.measure(proofs.QUICK if given.quick else proofs.DEFAULT, _say)
    else:
        seconds = _IDLE_QUICK_S if given.quick else _IDLE_S
        idle.measure(seconds, given.organisations, _say)


def _effort(given: argparse.Namespace) -> speed.Effort:
    effort = _QUICK if given.quick else _DEFAULT
    return replace(effort, rounds=given.rounds) if given.rounds else effort


def _measure_speed(given: argparse.Namespace) -> None:
    result = speed.measure(_effort(given), _say)
    table = report.markdown(result)
    print(f"\n{table}\n")
    if not given.quick:
        path = report.write("latest", "Speed", table, report.figures(result))
        _say(f"Stored in {path}, and as latest.md next to it.")


def _measure_verbs(given: argparse.Namespace) -> int:
    effort = verbs.QUICK if given.quick else verbs.DEFAULT
    if given.rounds:
        effort = replace(effort, rounds=given.rounds)
    series = verbs.measure(effort, _say)
    print(f"\n{verbs.markdown(series)}\n")
    if given.write:
        verbs.write_baseline(series)
    grown = verbs.grown(series) if given.check else {}
    if grown:
        _say("Measured again, since other work may have disturbed it.")
        again = verbs.grown(verbs.measure(effort, _say))
        grown = {name: sentence for name, sentence in again.items() if name in grown}
    if given.check and (disturbed := verbs.disturbed(series)):
        _say(f"Not compared, since the machine had other work: {', '.join(disturbed)}")
    for sentence in grown.values():
        _say(f"Costs more than a third more than before: {sentence}")
    return 1 if grown else 0


def _leave(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


main()
