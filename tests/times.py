"""Where the tests' time goes: `make test-times` prints processor seconds by folder and the costliest tests.

A pytest plugin (`-p tests.times`). Children count once they have ended; a server or browser that several tests
share counts for none of them. Cases of one test are added up.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Generator

import pytest

COSTLIEST = 20
CPU = "processor seconds"
_began = 0.0
_spent: dict[str, float] = defaultdict(float)  # by test, without its parameters
_cases: Counter[str] = Counter()


def _seconds() -> float:
    """What this process and its children that have ended have used."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    global _began  # noqa: PLW0603
    _began = _seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A worker's report takes the seconds along to the process that prints them."""
    report = yield
    if call.when == "teardown":
        report.user_properties.append((CPU, _seconds() - _began))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    seconds = dict(report.user_properties).get(CPU)
    if report.when == "teardown" and isinstance(seconds, float):
        test = report.nodeid.partition("[")[0]
        _spent[test] += seconds
        _cases[test] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _spent:
        return
    folders, cases = Counter[str](), Counter[str]()
    for test, seconds in _spent.items():
        folder = "/".join(test.partition("::")[0].split("/")[:-1])
        folders[folder] += seconds  # type: ignore[assignment]  # counters of seconds have fractions
        cases[folder] += _cases[test]
    write = terminalreporter.write_line
    terminalreporter.section(f"{sum(_spent.values()):.0f} {CPU} in {sum(_cases.values())} tests")
    for folder, seconds in folders.most_common():
        write(f"{seconds:8.1f} {cases[folder]:5} {folder}")
    write("")
    for test in sorted(_spent, key=lambda test: -_spent[test])[:COSTLIEST]:
        write(f"{_spent[test]:8.1f} {_cases[test]:5} {test}")
