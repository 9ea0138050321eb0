"""The first schema."""

from alembic import context, op

from rota.store.tables import build

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table."""
    schema = context.config.attributes["schema"]
    tables = build(schema, "" if schema else "rota_")
    tables.metadata.create_all(op.get_bind())
    op.get_bind().exec_driver_sql(tables.sql("INSERT INTO {spine} (one) VALUES (1)"))
