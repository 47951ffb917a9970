"""What everyone shares: values without behaviour of their own. This room imports only itself."""

from medground.values.exports import exported

__getattr__, __dir__ = exported(__name__)
