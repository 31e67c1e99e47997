"""What a wheel holds beside the packages: `schema.sql`, which stands at the root and belongs to none of them."""

from pathlib import Path

from setuptools.command.build_py import build_py

SCHEMA = "schema.sql"


class BuildWithSchema(build_py):
    """Puts the schema where the installed code looks for it, beside the packages."""

    def run(self) -> None:
        """Builds the packages; an editable install reads the file where it is."""
        super().run()
        if not self.editable_mode:
            self.copy_file(SCHEMA, self._target())

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Everything that was built."""
        own = [] if self.editable_mode else [self._target()]
        return [*super().get_outputs(include_bytecode), *own]

    def _target(self) -> str:
        return str(Path(self.build_lib) / SCHEMA)
