"""A label cache seen from outside: its hits show how many labels it holds."""

from lockgrader.given.label_curve import LabelCurve, label_curve

OLD = LabelCurve(labels=(1, 100), bucket_size=10, lookups=800)


def held(asked: LabelCurve) -> float:
    """How many labels the cache holds."""
    last = label_curve(asked)[-1]
    return last.hits * last.labels


def test_old_index_uses_four_buckets() -> None:
    """Forty of a hundred labels; a label alone always hits and takes the least time."""
    first, last = label_curve(OLD)
    assert 1.0 == first.hits
    assert 36 < held(OLD) < 44
    assert last.ns - first.ns > 0.5 * OLD.miss_ns


def test_more_buckets_hold_less() -> None:
    """Nine bits leave one bit of the index: two buckets."""
    assert 16 < held(OLD.model_copy(update={"bits": 9})) < 24
    assert 1.0 == label_curve(OLD.model_copy(update={"old_index": False}))[-1].hits
