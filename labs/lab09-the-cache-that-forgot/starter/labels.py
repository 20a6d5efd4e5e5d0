"""What a label cache holds, by its curve; and the index of its buckets.

Try: locklab lab check capacity. You may import numpy and anything of the standard library.
"""


def capacity(curve, bucket_size):
    """How many labels the cache holds, and how many buckets are in use.

    Arguments:
        curve: a list of {"labels": how many different ones, "hits": share of the lookups that
            find theirs, "ns": time of a message}.
        bucket_size: entries of a bucket.

    Returns:
        {"entries": number, "buckets": number}
    """
    return {}


def old_index(digest, bits):
    """The bucket of a hash in July 2006 (step 3)."""
    return 0


def index(digest, bits):
    """The bucket of a hash, one of 2 ** bits."""
    return 0


def reach(bits):
    """How many buckets each index reaches: {"old": number, "new": number}."""
    return {}
