"""What a check found, in sentences."""

from dataclasses import dataclass, field
from typing import List, Optional

__all__ = ["Check", "Report"]


@dataclass
class Check:
    """One property of the rules: how many cases were checked, and the simplest wrong one."""

    name: str
    unit: str = "cases"
    cases: int = 0
    wrong: int = 0
    example: Optional[str] = None
    skipped: Optional[str] = None
    note: Optional[str] = None
    _size: float = field(default=float("inf"), repr=False)

    def case(self, right: bool, size: float = 0, example: str = "") -> bool:
        """Counts a case; of the wrong ones, the example with the smallest size is kept."""
        self.cases += 1
        if not right:
            self.wrong += 1
            if size < self._size:
                self._size, self.example = size, example
        return right

    @property
    def ok(self) -> bool:
        """Whether nothing wrong was found; true if nothing was checked."""
        return self.wrong == 0

    def __str__(self) -> str:
        if self.skipped is not None:
            return f"  -      {self.name}: not checked, {self.skipped}"
        note = f" ({self.note})" if self.note else ""
        if self.ok:
            return f"  right  {self.name}: {self.cases:,} {self.unit}{note}"
        lines = [f"  WRONG  {self.name}: {self.wrong:,} of {self.cases:,} {self.unit}{note}"]
        lines += [f"         {line}" for line in (self.example or "").splitlines()]
        return "\n".join(lines)


@dataclass
class Report:
    """All checks of one implementation. It prints as a list, and is true if nothing is wrong."""

    subject: str
    checks: List[Check] = field(default_factory=list)

    def check(self, name: str, unit: str = "cases", skipped: Optional[str] = None) -> Check:
        """Adds a check."""
        self.checks.append(Check(name, unit, skipped=skipped))
        return self.checks[-1]

    @property
    def ok(self) -> bool:
        """Whether nothing wrong was found."""
        return all(check.ok for check in self.checks)

    def __bool__(self) -> bool:
        return self.ok

    @property
    def wrong(self) -> List[Check]:
        """The checks that found something wrong."""
        return [check for check in self.checks if not check.ok]

    def __str__(self) -> str:
        done = [check for check in self.checks if check.skipped is None]
        verdict = f"{len(self.wrong)} found something wrong" if self.wrong else "nothing is wrong"
        head = f"{self.subject}: {len(done)} checks, {verdict}."
        return "\n".join([head, *map(str, self.checks)])

    def raise_if_wrong(self) -> None:
        """Raises an AssertionError with the report if something is wrong: for an author's tests."""
        if not self.ok:
            raise AssertionError(str(self))
