#!/usr/bin/env bash
# Runs once, as root, when the image is made: installs what the grader needs, and closes the folder.
set -euo pipefail
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")"
export DEBIAN_FRONTEND=noninteractive

# This folder holds checks that students must not read, and perhaps the course key.
chmod 0700 .
chmod -R go-rwx lab config.json
[[ ! -e course.key ]] || chmod 0600 course.key

# Ubuntu 22.04 has Python 3.10 for python3, and 3.11 beside it.
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends python3 ||
        true # a newer one may be installed beside it
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        apt-get install -y -qq --no-install-recommends python3.11 python3.11-venv python3.11-dev
fi

# The requirements are locked and hashed, without those for developers.
LOCKLAB_REQUIREMENTS="build base" bash locklab/tools/setup

# Compile now what every grading would otherwise compile, and check that there is a sandbox.
cd /
"$OLDPWD/locklab/.venv/bin/locklab" grade prepare
