"""The cost of a labelled packet for the host that receives it: NetLabel over CIPSO, Linux 2.6.18.

Mechanism. ``validate`` is what ``ip_options_compile`` does with the option of every packet and of
every fragment: a strict check walks the category bits (``cipso_rbm_strictvalid``; without it that
walk is left out). ``getattr`` is what the socket does with a whole message: handle the option, ask
the label cache, and on a miss translate the option into a label, which is expensive: categories are
mapped bit by bit, the security server builds a context and looks for its number.

The register work of each step is a parameter; the cache's work is not: it is the cache's own
program, so its locks and lines are simulated. ``percent`` makes a host slower or faster than the
mean of the hosts that the works were measured on.

Not modelled. The way out: a socket's option is made once and copied into its packets. That cost is
part of ``option_ps`` here, because a request/response test sees one packet in for each packet out.
"""

from locksim.lang import *
from locksim.library.avc.cipso import Cipso

__all__ = ["NetLabel"]


class NetLabel(Struct):
    """The labels of one host (net/netlabel and net/ipv4/cipso_ipv4.c, July 2006).

    Arguments:
        option_ps: handling the option of one message, in picoseconds (0: packets are unlabelled).
        validate_ps: the strict check of one packet's option.
        translate_ps: turning an option into a label, on a miss.
        percent: this host's time for the option and its check, in per cent of the mean.
        use_cache: 1 asks the label cache first, 0 is ``cipso_cache_enable=0``.
    """

    option_ps = param(0)
    validate_ps = param(0)
    translate_ps = param(0)
    percent = param(100)
    use_cache = param(1)
    cache = part(Cipso, padded=True)

    def validate(self):
        if self.validate_ps:
            yield compute(self.validate_ps * self.percent // 100)

    def getattr(self, key):
        if self.option_ps:
            yield compute(self.option_ps * self.percent // 100)
            if self.use_cache:
                label = yield from self.cache.lookup(key)
                if not label:
                    yield compute(self.translate_ps)
                    label = yield from self.cache.label_new(key)
                    yield from self.cache.add(key, label)
                yield from self.cache.label_put(label)
            else:
                yield compute(self.translate_ps)
