#!/bin/sh
# Archive the folder `data` as out/backup-DAY.tar.gz. The archive appears whole or not at all.
set -eu
day=$1
mkdir -p out data
draft=$(mktemp "out/.backup-$day.XXXXXX")
trap 'rm -f "$draft"' EXIT
tar -czf "$draft" data
mv "$draft" "out/backup-$day.tar.gz"
echo "wrote out/backup-$day.tar.gz"
