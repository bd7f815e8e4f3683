"""A limit of processor time does not count waiting, and leaves an alarm of its caller in force."""

import signal
import subprocess
import sys

import pytest

from verifflowcc.base.process.clock import OutOfTimeError, within
from verifflowcc.fast.hook import Limit

BUSY = "import time\nwhile time.process_time() < 0.5: pass"


def compute() -> None:
    while True:
        pass


def test_waiting_for_another_process_does_not_use_up_the_limit() -> None:
    with within(0.3):
        done = subprocess.run([sys.executable, "-S", "-c", BUSY], check=False)

    assert done.returncode == 0


def test_computing_uses_up_the_limit() -> None:
    with pytest.raises(OutOfTimeError), within(0.01):
        compute()

    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_the_block_ends_before_an_alarm_that_was_set_earlier_and_that_alarm_holds_on() -> None:
    with Limit(60.0, lambda: None):
        with pytest.raises(OutOfTimeError), within(60.0, reserve_s=59.99):
            compute()
        left, every = signal.getitimer(signal.ITIMER_REAL)

    assert 0 < left < 60
    assert every == 1.0
