"""The version of rota, said once (a test compares it with the project file)."""

from typing import Final

VERSION: Final = "0.1.0"
