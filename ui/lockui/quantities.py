"""Numbers with units, as options take and print them: ``100ns``, ``90%``, ``8GiB``, ``2.4GHz``.

A number without its unit is refused: nobody remembers which option meant microseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from lockui.errors import UsageError

NS, MS, SECOND = 10**3, 10**9, 10**12
PERCENT = 1000
GIB = 2**30

_NUMBER = re.compile(r"\s*(?P<value>\d+(\.\d+)?(e[+-]?\d+)?)\s*(?P<unit>[^\d\s]*)\s*")


class Quantity(int):
    """A whole number of a small unit. Subclasses say which units people write.

    >>> Time.parse("1.5us")
    Time('1500ns')
    """

    UNITS: ClassVar[dict[str, int]]
    EXAMPLE: ClassVar[str]

    @classmethod
    def parse(cls, text: str | Self) -> Self:
        """Return the quantity that a text such as ``100ns`` writes.

        Raises:
            UsageError: there is no number, no unit or an unknown one, or it is smaller than the
                smallest unit resolves.
        """
        if isinstance(text, cls):  # Typer parses a default, too
            return text
        read = _NUMBER.fullmatch(str(text))
        units = ", ".join(cls.UNITS)
        if read is None or not read["unit"]:
            raise UsageError(f"{text}: write a number with its unit, as {cls.EXAMPLE} ({units})")
        if read["unit"] not in cls.UNITS:
            raise UsageError(f"{text}: unknown unit '{read['unit']}'; known: {units}")
        exact = float(read["value"]) * cls.UNITS[read["unit"]]
        if exact != round(exact):
            raise UsageError(f"{text}: finer than this option resolves; write {cls.EXAMPLE}")
        return cls(round(exact))

    def __str__(self) -> str:
        """Return the number in the largest unit in which it is whole."""
        for unit, factor in sorted(self.UNITS.items(), key=lambda item: -item[1]):
            if self % factor == 0 and (self or factor == self._zero()):
                return f"{int(self) // factor}{unit}"
        return f"{int(self)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}('{self}')"

    @classmethod
    def _zero(cls) -> int:
        """Return the factor of the unit in which zero is printed: that of the example."""
        return cls.UNITS[re.sub(r"[\d.]", "", cls.EXAMPLE)]


class Time(Quantity):
    """A time, kept in picoseconds."""

    UNITS: ClassVar = {
        "ps": 1,
        "ns": NS,
        "us": 1000 * NS,
        "ms": MS,
        "s": SECOND,
        "min": 60 * SECOND,
        "h": 3600 * SECOND,
    }
    EXAMPLE: ClassVar = "100ns"

    @property
    def ps(self) -> int:
        """Return it in picoseconds."""
        return int(self)

    @property
    def ns(self) -> float:
        """Return it in nanoseconds."""
        return self / NS

    @property
    def ms(self) -> float:
        """Return it in milliseconds."""
        return self / MS

    @property
    def seconds(self) -> float:
        """Return it in seconds."""
        return self / SECOND


@dataclass(frozen=True)
class DrawnTime:
    """A time that is drawn from a distribution: ``exponential:100ns``, or ``100ns`` alone.

    Attributes:
        mean: of the distribution. distribution: its name, or "" for the option's own.
    """

    mean: Time
    distribution: str = ""

    @classmethod
    def parse(cls, text: str | DrawnTime) -> DrawnTime:
        """Return the mean and the distribution of a text.

        Raises:
            UsageError: as :meth:`Quantity.parse`.
        """
        if isinstance(text, DrawnTime):
            return text
        distribution, _, mean = str(text).rpartition(":")
        return cls(Time.parse(mean), distribution)

    def __str__(self) -> str:
        return f"{self.distribution}:{self.mean}" if self.distribution else f"{self.mean}"


class Size(Quantity):
    """A size of memory, kept in bytes."""

    UNITS: ClassVar = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": GIB}
    EXAMPLE: ClassVar = "8GiB"

    @property
    def mib(self) -> float:
        """Return it in MiB."""
        return self / 2**20


class Frequency(Quantity):
    """A clock frequency, kept in hertz."""

    UNITS: ClassVar = {"MHz": 10**6, "GHz": 10**9}
    EXAMPLE: ClassVar = "2.4GHz"

    @property
    def ghz(self) -> float:
        """Return it in GHz."""
        return self / 10**9


class Share(Quantity):
    """A share, kept in thousandths of a per cent."""

    UNITS: ClassVar = {"%": PERCENT}
    EXAMPLE: ClassVar = "90%"

    @property
    def fraction(self) -> float:
        """Return it as a fraction of 1."""
        return self / (100 * PERCENT)

    @classmethod
    def parse(cls, text: str | Self) -> Self:
        """Return the share that a text such as ``90%`` writes.

        Raises:
            UsageError: as :meth:`Quantity.parse`; or it is above 100%.
        """
        share = super().parse(text)
        if share > 100 * PERCENT:
            raise UsageError(f"{text}: a share is at most 100%")
        return share

    def __str__(self) -> str:
        return f"{self / PERCENT:g}%"


class Several(tuple[int, ...]):
    """Several quantities with commas between them. Subclasses say of what kind."""

    OF: ClassVar[type[Quantity]]
    WRITTEN: ClassVar[str]

    @classmethod
    def parse(cls, text: str | Self) -> Self:
        """Return the quantities of a text such as ``0ns,100ns``.

        Raises:
            UsageError: as :meth:`Quantity.parse`.
        """
        if isinstance(text, cls):
            return text
        return cls(cls.OF.parse(part) for part in str(text).split(","))

    def __str__(self) -> str:
        return ",".join(map(str, self))


class Times(Several):
    """Several times: ``0ns,100ns``."""

    OF: ClassVar = Time
    WRITTEN: ClassVar = "times"


class Shares(Several):
    """Several shares: ``0%,90%``."""

    OF: ClassVar = Share
    WRITTEN: ClassVar = "shares"


class Numbers(Several):
    """Several whole numbers: ``1,2,4``."""

    WRITTEN: ClassVar = "numbers"

    @classmethod
    def parse(cls, text: str | Self) -> Self:
        """Return the numbers of a text such as ``1,2,4``.

        Raises:
            UsageError: a part is not a whole number, or there is none.
        """
        if isinstance(text, cls):
            return text
        numbers = []
        for part in str(text).split(","):
            try:
                numbers.append(int(part))
            except ValueError:
                raise UsageError(
                    f"{text}: '{part.strip()}' is not an integer; write them as 1,2,4"
                ) from None
        return cls(numbers)
