#!/bin/sh
# Names the build after the code in the image, so that only the promoted one may claim sends.
set -eu
BUILD_ID="${BUILD_ID:-$(cat /app/.build-id)}"
export BUILD_ID
exec "$@"
