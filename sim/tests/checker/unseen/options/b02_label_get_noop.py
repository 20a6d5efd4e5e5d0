from locksim.lang import *
from locksim.library.avc.cipso import Cipso, CipsoLabel


class GetNothing(Cipso):
    def label_get(self, label: CipsoLabel):
        yield label.references.load(RELAXED)
