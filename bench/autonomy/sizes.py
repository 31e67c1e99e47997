"""How much is simulated: enough for a share of 5 % to mean something, or just enough to prove that it works."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AutonomySizes:
    """Deployments a scenario, decisions a deployment, and what the statements are put through."""

    deployments: int
    decisions: int
    drift_deployments: int
    drift_decisions: int
    charges: int
    switch_rounds: int


FULL = AutonomySizes(1_000, 400, 200, 6_000, 200, 20)
QUICK = AutonomySizes(30, 400, 6, 2_500, 40, 3)
