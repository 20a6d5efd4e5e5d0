"""Who sleeps, by the states of threads, on a clock of the test's own."""

from collections.abc import Iterable

from lockgrader.sandbox.asleep import Sleep

STEP_S = 0.05


def seen(
    samples: Iterable[tuple[str, float]], longest_s: float = 10.0, gap_s: float = STEP_S
) -> int:
    """After how many samples a job counts as asleep; 0: never.

    Arguments:
        samples: the letters of its threads' states, and its processor time.
        longest_s: asleep at once. gap_s: between two samples.
    """
    now_s = 0.0
    sleep = Sleep(longest_s, lambda: now_s)
    for number, (states, cpu_s) in enumerate(samples, start=1):
        if sleep.is_too_long({*states}, cpu_s):
            return number
        now_s += gap_s
    return 0


def test_sleeping_and_stopped_threads_are_asleep() -> None:
    """Ten seconds of samples; a zombie does not keep the others awake."""
    for states in ("S", "T", "t", "ST", "SZ", "TX"):
        assert 200 <= seen([(states, 1.0)] * 300) <= 205, states


def test_a_thread_that_could_run_or_reads_a_disk_is_not_asleep() -> None:
    """On a busy machine it uses no processor, and is not accused."""
    for states in ("R", "SR", "D", "SD", "TR", "I", ""):
        assert 0 == seen([(states, 1.0)] * 10_000), states


def test_a_short_sleep_is_no_fault() -> None:
    """Two seconds, then work, again and again up to a minute altogether."""
    naps = [one for k in range(20) for one in [("S", k)] * 40 + [("R", k)] * 40]
    assert 0 == seen(naps)


def test_who_wakes_up_to_look_busy_is_asleep_altogether() -> None:
    """Nine seconds of sleep and a little work, again and again: found after a minute of sleep."""
    naps = [one for k in range(60) for one in [("S", k)] * 180 + [("R", k)]]
    assert 1200 <= seen(naps) <= 1230


def test_work_between_two_samples_is_work() -> None:
    """A thread that each sample finds asleep, and that has used a processor in between."""
    assert 0 == seen([("S", number / 100) for number in range(10_000)])


def test_a_watch_without_a_processor_accuses_no_one() -> None:
    """Samples that are an hour apart are not an hour of sleep."""
    assert 0 == seen([("S", 1.0)] * 100, gap_s=3600.0)
    assert 101 <= seen([("S", 1.0)] * 200, gap_s=3600.0) <= 103
