#!/bin/sh
# Temporal's tables, brought up to the version of the tools. The first line starts at nothing and leaves
# what is there alone; the second applies what is missing.
set -eu
bring_up() {
    temporal-sql-tool --database "$1" setup-schema -v 0.0
    temporal-sql-tool --database "$1" update-schema -d "/etc/temporal/schema/postgresql/v12/$2/versioned"
}
bring_up temporal temporal
bring_up temporal_visibility visibility
