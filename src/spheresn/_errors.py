"""Errors that are meant for people, and words that are safe to show them; without numpy, since
every command imports this first.

Every message reads *name must rule, got value; what to do*, so that the caller can act on it
without a traceback.
"""

from __future__ import annotations


class Told(Exception):
    """The message is all that the caller needs: the command line prints it. Any other error is a
    defect and keeps its traceback.
    """


class BadInput(Told, ValueError):
    """An argument, a file or a series that cannot be used, and what to do about it.

    A ValueError, so that code that catches those goes on working; errors in the library itself are
    never of this class.

    >>> import spheresn as sn
    >>> try:
    ...     sn.random_reservoir(0, rng=0)
    ... except sn.BadInput as error:
    ...     print(error)
    units must be a whole number of at least 1, got 0; pass such a number
    """


class NotInstalled(Told, FileNotFoundError):
    """A recording that comes with an optional package, which is not there: a result is missing, and
    nothing is wrong.
    """


class NoDirection(Told, ArithmeticError):
    """A zero vector cannot be projected onto the sphere.

    >>> import numpy as np
    >>> from spheresn import sphere
    >>> sphere.unit(np.zeros(2))
    Traceback (most recent call last):
    spheresn._errors.NoDirection: a zero vector has no direction, so it cannot be projected onto the sphere; add a bias or start elsewhere
    """


class StateOverflow(Told, ArithmeticError):
    """A state or pre-activation left the range of its floating point type.

    >>> import numpy as np
    >>> import spheresn as sn
    >>> doubling = sn.Reservoir(recurrent=[[2.0]], inputs=[1.0], activation=sn.Linear())
    >>> try:
    ...     sn.drive(doubling, np.ones(1100))
    ... except sn.StateOverflow as error:
    ...     print(str(error).split(";")[0])
    the state left the range of its floating point type at step 1023
    """


class DegenerateStep(RuntimeWarning):
    """A pre-activation was exactly zero, so the state kept its direction.

    >>> import warnings
    >>> import numpy as np
    >>> import spheresn as sn
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     states = sn.drive(sn.Reservoir(recurrent=np.zeros((2, 2)), inputs=[1.0, 0.0]), [1.0, 0.0])
    >>> seen[0].category.__name__, states.tolist()
    ('DegenerateStep', [[1.0, 0.0], [1.0, 0.0]])
    """


class MeaninglessPrediction(RuntimeWarning):
    """A formula was asked for outside the range where it means anything.

    >>> import warnings
    >>> from spheresn.analysis import predicted_memory
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     law = predicted_memory("spherical", [0, 1, 2], alpha=-2.0)
    >>> seen[0].category.__name__, law
    ('MeaninglessPrediction', array([1., 2., 4.]))
    """


def printable(text: object) -> str:
    r"""What a stranger wrote, safe for a terminal, a page and a drawing: characters that would
    steer them are spelled out.

    >>> printable("a\x1b[31m\nb"), printable("Zeit in µs")
    ('a\\x1b[31m\\nb', 'Zeit in µs')
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(text))


def sentence(text: object, longest: int = 300) -> str:
    r"""Another program's words inside of a sentence of ours: one line, printable, of bounded
    length.

    >>> sentence(ValueError("bad\n  byte \x00"))
    'bad byte \\x00'
    """
    return printable(" ".join(str(text).split()))[:longest]
