"""Files: models on disk and as code for other places, and files that are whole or absent."""

from .._errors import ModelFileError
from .exports import export
from .files import CannotWrite, whole_file
from .models import load, save

__all__ = ["CannotWrite", "ModelFileError", "export", "load", "save", "whole_file"]
