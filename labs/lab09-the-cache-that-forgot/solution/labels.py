"""What a label cache holds, by its curve; and the index of its buckets: the solution."""


def capacity(curve, bucket_size):
    """Labels that a full cache holds: hits x labels, where many labels find no room."""
    full = [p["hits"] * p["labels"] for p in curve if p["hits"] < 0.7]
    entries = sum(full) / len(full)
    buckets = round(entries / bucket_size)
    return {"entries": buckets * bucket_size, "buckets": buckets}


def old_index(digest, bits):
    """The bucket of a hash in July 2006: a mask of bits - 1 instead of 2 ** bits - 1."""
    return digest & (bits - 1)


def index(digest, bits):
    """The bucket of a hash, one of 2 ** bits."""
    return digest & (2**bits - 1)


def reach(bits):
    """How many buckets each index reaches, over all hashes of so many bits."""
    hashes = range(2**bits)
    return {
        "old": len({old_index(h, bits) for h in hashes}),
        "new": len({index(h, bits) for h in hashes}),
    }
