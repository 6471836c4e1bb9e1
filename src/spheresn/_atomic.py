"""Methods that learn: all of their result, or none of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def all_or_nothing(method: Method) -> Method:
    """The method, run on a copy of the object whose attributes become the object's at the end.

    An exception or Ctrl-C at any moment leaves the object as it was, because one assignment cannot
    be cut in two. The copy shares the values of its attributes with the object, so the method may
    replace them but must not change them in place. It returns the object itself.

    >>> class Account:
    ...     balance = 0
    ...
    ...     @all_or_nothing
    ...     def add(self, *amounts):
    ...         for amount in amounts:
    ...             self.balance += int(amount)
    >>> account = Account().add(1, 2)
    >>> try:
    ...     account.add(10, "ten")
    ... except ValueError:
    ...     print(account.balance)
    3
    """

    @wraps(method)
    def call(self: Any, *arguments: Any, **options: Any) -> Any:
        apart = object.__new__(type(self))
        apart.__dict__ = dict(vars(self))
        method(apart, *arguments, **options)
        self.__dict__ = vars(apart)
        return self

    return cast(Method, call)
