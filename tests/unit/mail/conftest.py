"""Property tests of the parser measure no time: a busy machine is no defect of a mail."""

from hypothesis import settings

settings.register_profile("no_deadline", deadline=None)
settings.load_profile("no_deadline")
