"""Settings for every test of this folder."""

from hypothesis import HealthCheck, settings

# A loaded machine is no finding: examples are bounded in number, not in time.
settings.register_profile("steno", deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steno")
