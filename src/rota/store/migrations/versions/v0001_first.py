"""The first schema, as it was released: its statements are in the files beside this one and never change."""

from importlib.resources import files

from alembic import context, op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    schema = context.config.attributes["schema"]
    name = "v0001_sqlite.sql" if schema is None else "v0001_postgresql.sql"
    text = files(__package__ or "rota.store.migrations.versions").joinpath(name).read_text("utf-8")
    for statement in text.replace("{schema}", f'"{schema}"').split(";\n"):
        if statement.strip():
            op.get_bind().exec_driver_sql(statement)
