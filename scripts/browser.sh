#!/bin/sh
# A browser for the tests of pages, by the system's own packages.
set -e
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
    exit 0
fi
echo "The tests of pages need Chromium: install it (apt-get install chromium, brew install --cask chromium)." >&2
exit 1
