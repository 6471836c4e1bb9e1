"""Cells of a column: numbers as people write them, empty cells, and cells that are neither."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..._validation import Floats

EMPTY = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "?"}
CODES = (
    "EUR USD GBP CHF JPY CNY SEK NOK DKK PLN CZK HUF RON BGN TRY INR BRL MXN CAD AUD NZD ZAR KRW "
    "SGD HKD ILS RUB UAH AED SAR THB IDR MYR PHP TWD CLP COP ARS PEN"
)
MONEY = "|".join([r"[A-Z]{0,2}[$¢£¤¥฿₠-⃀]", *CODES.split(), "kr\\.?", "zł", "Kč", "Fr\\.?", "Ft"])
# ( - EUR - 1 234,5e3 EUR - ), of which only the digits are needed
DRESSED = (
    rf"(?P<open>\()?\s*(?P<sign>[+-])?\s*(?P<before>{MONEY})?\s*(?P<inner>[+-])?\s*"
    r"(?P<number>\d[\d.,'’ ]*|[.,]\d+)(?P<power>[eE][+-]?\d+)?"
    rf"\s*(?P<after>%|{MONEY})?\s*(?P<late>-)?(?P<close>\))?"
)
# Numbers with a decimal point, with a decimal comma; blanks and apostrophes stand between thousands
POINT = r"(?:[1-9]\d{0,2}(?:[,'’ ]\d{3})+|\d*)(?:\.\d*)?"
COMMA = r"(?:[1-9]\d{0,2}(?:[.'’ ]\d{3})+|\d*)(?:,\d*)?"
THOUSANDS_BY_POINT = re.compile(r"[+-]?[1-9]\d{0,2}\.\d{3}")
LONGEST_NUMBER = 60  # characters: a pattern that is tried on more may take very long
BLANKS = {ord(one): " " for one in "\u00a0\u2007\u2009\u202f"} | {ord("\u2212"): "-"}


@dataclass(frozen=True, eq=False)
class Cells:
    """A column: its numbers, NaN where there is none, which cells are wrong, that is, neither a
    finite number nor empty, and how the numbers were written, if not plainly.
    """

    numbers: Floats
    wrong: NDArray[np.bool_]
    written: str = ""

    @property
    def mostly_numbers(self) -> bool:
        """Whether this is a column of numbers with a few wrong cells, and not a column of text."""
        return bool(np.isfinite(self.numbers).sum() >= max(self.wrong.sum(), 1))


class Words:
    """A column of text that may hold numbers; which of comma and point is decimal is decided once
    for the column, by its cells or by what other columns say.

    >>> Words(pd.Series(["1.234,5 €", "(12)", "7-"])).cells().numbers.tolist()
    [1234.5, -12.0, -7.0]
    """

    def __init__(self, column: pd.Series) -> None:
        self._words = words_of(column)
        self._empty = self._words.str.lower().isin(EMPTY).to_numpy()
        plain = np.asarray(
            pd.to_numeric(self._words.where(~self._empty, "nan"), errors="coerce"), np.float64
        )
        self._plain = None if (np.isnan(plain) & ~self._empty).any() else plain

    @cached_property
    def decimal(self) -> str | None:
        """The decimal sign, "." or ",", as far as these cells leave no doubt."""
        if self._plain is not None:
            return None if self._may_be_thousands or not self._dotted else "."
        numbers, point, comma = self._numbers, self._matching(POINT), self._matching(COMMA)
        marked = numbers.str.contains("[.,]", regex=True).to_numpy()
        counts = int((point & ~comma & marked).sum()), int((comma & ~point & marked).sum())
        if not any(counts):
            return None
        return "." if counts[0] >= counts[1] else ","

    def cells(self, shared: str | None = None, quoted: bool = False) -> Cells:
        """The cells, by the decimal sign that is `shared` by the other columns where these cells
        leave it open; `quoted`: commas separate the cells of the file, so that one in a cell stands
        between thousands.
        """
        if self._plain is not None and not (shared == "," and self._may_be_thousands):
            return self._judged(self._plain, "")
        numbers = self._numbers
        decimal = self.decimal or self._open(shared, quoted)
        fits = self._matching(POINT if decimal == "." else COMMA)
        bare = numbers.str.replace("[,'’ ]" if decimal == "." else "[.'’ ]", "", regex=True)
        bare = bare.str.replace(",", ".", regex=False)
        unit, wrong = self._units()
        percent = self._parts["after"].eq("%").to_numpy()
        power = self._parts["power"].where(~percent, "e-2")
        found = np.asarray(pd.to_numeric(bare + power, errors="coerce"), np.float64)
        found = np.where(self._negative, -found, found)
        found = np.where(fits & ~wrong, found, np.nan)
        parts = [f"in {unit}"] if unit not in ("", "%") else []
        parts += ["12 % is read as 0.12"] if unit == "%" else []
        if self.decimal is None and decimal == "," and shared is None and not unit:
            shown = [word for word in self._words if "," in word]
            parts += [f"{word} is read with a decimal comma" for word in shown[:1]]
        return self._judged(found, "; ".join(parts))

    def _judged(self, values: Floats, written: str) -> Cells:
        wrong = ~np.isfinite(values) & ~self._empty
        return Cells(np.where(np.isfinite(values), values, np.nan), wrong, written)

    @cached_property
    def _dotted(self) -> bool:
        return bool(self._words.str.contains(".", regex=False).any())

    @cached_property
    def _may_be_thousands(self) -> bool:
        """Whether every point has three digits behind it, as in 112.500."""
        dotted = (word for word in self._words if "." in word)
        return self._dotted and all(THOUSANDS_BY_POINT.fullmatch(word) for word in dotted)

    @cached_property
    def _parts(self) -> pd.DataFrame:
        """What stands around the digits of each cell; "" where there is nothing."""
        short = self._words.where(self._words.str.len() <= LONGEST_NUMBER, "")
        plain = short.map(lambda word: word.translate(BLANKS)).astype(object)
        return plain.str.extract(f"^{DRESSED}$").fillna("").astype(object)

    @cached_property
    def _numbers(self) -> pd.Series:
        return self._parts["number"].str.strip()

    def _matching(self, pattern: str) -> NDArray[np.bool_]:
        numbers = self._numbers
        return np.asarray(numbers.str.fullmatch(pattern) & numbers.ne(""), np.bool_)

    @property
    def _negative(self) -> NDArray[np.bool_]:
        parts = self._parts
        return np.asarray(
            (parts["sign"] + parts["inner"] + parts["late"]).str.contains("-", regex=False)
            | parts["open"].ne("")
        )

    def _open(self, shared: str | None, quoted: bool) -> str:
        """The decimal sign where all cells may be read in both ways: 1,310 or 112.500. Money has no
        three decimals, and what stands in parentheses is money.
        """
        money = self._units()[0] not in ("", "%") or self._parts["open"].ne("").any()
        if self._numbers.str.contains(",", regex=False).any():
            return shared or ("." if quoted or money else ",")
        return shared or ("," if money else ".")

    def _units(self) -> tuple[str, NDArray[np.bool_]]:
        """The unit of the column, and the cells that are wrong because of their signs or units:
        amounts in another currency, and per cent beside plain numbers.
        """
        parts = self._parts
        units = parts["before"] + parts["after"]
        found = units[units.ne("")]
        unit = "" if found.empty else str(found.iloc[0])
        signs = (parts["sign"] + parts["inner"] + parts["late"] + parts["open"]).str.len().gt(1)
        wrong = signs | parts["open"].ne("").ne(parts["close"].ne(""))
        wrong |= units.ne("") & units.ne(unit)
        if unit == "%":
            wrong |= units.eq("") & self._numbers.ne("0")
        return unit, np.asarray(wrong | parts["after"].eq("%") & parts["power"].ne(""))


def cells_of(column: pd.Series, shared: str | None = None, quoted: bool = False) -> Cells:
    """The cells of a column of a data frame."""
    if column.dtype.kind in "biuf":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Cells(np.where(np.isfinite(values), values, np.nan), np.isinf(values))
    if column.dtype.kind in "mM":
        return Cells(np.full(len(column), np.nan), column.notna().to_numpy())
    return Words(column).cells(shared, quoted)


def all_cells(frame: pd.DataFrame, quoted: bool = False) -> dict[str, Cells]:
    """The cells of all columns. A table has one decimal sign, unless its columns contradict each
    other.

    >>> frame = pd.DataFrame({"price": ["1,5", "2,25"], "sales": ["112.500", "98.250"]})
    >>> all_cells(frame)["sales"].numbers.tolist()
    [112500.0, 98250.0]
    """
    text = {name: Words(frame[name]) for name in frame if frame[name].dtype.kind not in "biufmM"}
    signs = {words.decimal for words in text.values()} - {None}
    shared = signs.pop() if len(signs) == 1 else None
    return {
        name: text[name].cells(shared, quoted) if name in text else cells_of(frame[name])
        for name in frame
    }


def words_of(column: pd.Series) -> pd.Series:
    """The cells as text without blanks around it; an empty cell is ""."""
    if isinstance(column.dtype, pd.StringDtype):  # all at once, since a call per cell is slow
        return column.fillna("").str.strip()
    return column.map(lambda cell: "" if cell is None or cell is pd.NA else str(cell).strip())


def as_number(cell: str) -> float | None:
    """The number in a cell; None if the cell holds no number.

    >>> as_number("1e3"), as_number("1,5"), as_number("speed")
    (1000.0, 1.5, None)
    """
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None
