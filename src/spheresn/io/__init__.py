"""Files: models on disk, and files that are whole or absent."""

from .._errors import ModelFileError
from .files import CannotWrite, whole_file
from .models import load, save

__all__ = ["CannotWrite", "ModelFileError", "load", "save", "whole_file"]
