"""Settings for every test of this folder."""

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

pytest_plugins = [
    "tests.support.certificates",
    "tests.support.command_line",
    "tests.support.postgres",
]

# A loaded machine is no finding: examples are bounded in number, not in time.
settings.register_profile(
    "steno", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("steno")

# Hypothesis draws from constants of whatever modules are loaded; a law must not depend on which
# others ran before it.
providers._get_local_constants = lambda: providers._local_constants
