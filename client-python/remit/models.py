"""The types of what the API receives and returns."""

from ._generated.models import *  # noqa: F403
