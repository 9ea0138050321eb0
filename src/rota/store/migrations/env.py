"""Runs the migrations on the connection that `rota.store.migrate` hands over; no configuration file."""

from alembic import context

connection = context.config.attributes["connection"]
schema = context.config.attributes["schema"]
context.configure(
    connection=connection,
    target_metadata=None,
    version_table="rota_version",
    version_table_schema=schema,
    transaction_per_migration=False,
)
context.run_migrations()
