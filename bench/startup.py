"""CPU time of ``import screenmark`` and of ``screenmark --help``, in fresh processes.

Beside each stands the bare interpreter, which is the floor. Exit code 1 if a limit is missed.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

ROUNDS = 9
CASES = {
    "bare interpreter": (["-c", "pass"], None),
    "import screenmark": (["-c", "import screenmark"], 0.15),
    "screenmark --help": (["-m", "screenmark", "--help"], 0.40),
}


def cpu_seconds(arguments: list[str]) -> float:
    """CPU time of one fresh interpreter, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    found: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(ROUNDS):
        for name, (arguments, _limit) in CASES.items():
            found[name].append(cpu_seconds(arguments))
    missed = False
    print(f"{'':20}{'CPU s, median':>14}{'limit':>8}")
    for name, (_arguments, limit) in CASES.items():
        middle = statistics.median(found[name])
        missed |= limit is not None and middle > limit
        shown = "" if limit is None else f"{limit:.2f}"
        print(f"{name:20}{middle:14.3f}{shown:>8}")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
