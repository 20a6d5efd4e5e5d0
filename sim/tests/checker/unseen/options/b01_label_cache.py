from locksim.lang import *
from locksim.library.avc.cipso import Cipso, CipsoLabel


class Labels(Cipso):
    def label_get(self, label: CipsoLabel):
        yield label.references.fetch_add(1)

    def label_put(self, label: CipsoLabel):
        if (yield label.references.fetch_add(-1)) == 1:
            yield free(label)
