"""Errors whose message is for the user, and functions that make text safe to show.

Every message reads *name must rule, got value; what to do*, so that the user can act on it without
a traceback. This module does not import numpy, because every command imports it first.
"""

from __future__ import annotations


class UserError(Exception):
    """An error whose message is all that the user needs: the command line prints only that.

    Any other error is a defect of the program and keeps its traceback.
    """


class BadInput(UserError, ValueError):
    """An argument, a file or a series that cannot be used, and what to do about it.

    It is a ValueError, so code that catches ValueError catches it too. Defects of the library
    itself never raise this class.

    >>> import spheresn as sn
    >>> try:
    ...     sn.random_reservoir(0, rng=0)
    ... except sn.BadInput as error:
    ...     print(error)
    units must be a whole number of at least 1, got 0; pass such a number
    """


class ModelFileError(BadInput):
    """A file that is not a model, or not one that this version can read.

    >>> import spheresn as sn
    >>> try:
    ...     sn.load("nowhere.spheresn")
    ... except sn.io.ModelFileError as error:
    ...     print(str(error).split(", got")[0])
    path must be a saved model
    """


class NotInstalled(UserError, FileNotFoundError):
    """A recording that comes with an optional package, and the package is not installed.

    A result that needs it is missing, but nothing is wrong.
    """


class NoDirection(UserError, ArithmeticError):
    """A zero vector cannot be projected onto the sphere.

    >>> import numpy as np
    >>> import spheresn as sn
    >>> try:
    ...     sn.sphere.unit(np.zeros(2))
    ... except sn.NoDirection as error:
    ...     print(str(error).split(",")[0])
    a zero vector has no direction
    """


class StateOverflow(UserError, ArithmeticError):
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
    >>> forgetful = sn.Reservoir(recurrent=np.zeros((2, 2)), inputs=[1.0, 0.0])
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     states = sn.drive(forgetful, [1.0, 0.0])
    >>> seen[0].category.__name__, states.tolist()
    ('DegenerateStep', [[1.0, 0.0], [1.0, 0.0]])
    """


class MeaninglessPrediction(RuntimeWarning):
    """A formula was evaluated outside the range where it is meaningful.

    >>> import warnings
    >>> from spheresn.analysis import predicted_memory
    >>> with warnings.catch_warnings(record=True, action="always") as seen:
    ...     law = predicted_memory("spherical", [0, 1, 2], alpha=-2.0)
    >>> seen[0].category.__name__, law
    ('MeaninglessPrediction', array([1., 2., 4.]))
    """


def printable(text: object) -> str:
    r"""Text from outside, safe for a terminal, a page and a figure: control characters are escaped.

    >>> printable("a\x1b[31m\nb"), printable("Zeit in µs")
    ('a\\x1b[31m\\nb', 'Zeit in µs')
    """
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(text))


def sentence(text: object, longest: int = 300) -> str:
    r"""Text of another program for use inside a message: one line, printable, of bounded length.

    >>> sentence(ValueError("bad\n  byte \x00"))
    'bad byte \\x00'
    """
    return printable(" ".join(str(text).split()))[:longest]
