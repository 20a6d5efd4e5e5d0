from locksim.lang import *
from locksim.library.avc.cipso import Cipso, CipsoLabel


class PutNothing(Cipso):
    def label_put(self, label: CipsoLabel):
        yield label.references.fetch_add(-1, ACQ_REL)
