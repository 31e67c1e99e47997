"""The sandbox every workflow test and every replay runs in; the worker itself runs without it (ADR 16).

`workflows` is not passed through: its modules are imported inside, where clocks, random numbers and I/O are forbidden.
"""

from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

PASSED_THROUGH = ("contracts", "domain", "pydantic", "pydantic_core", "annotated_types")


def sandboxed() -> SandboxedWorkflowRunner:
    """A runner with our pure modules passed through."""
    return SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_modules(*PASSED_THROUGH))
