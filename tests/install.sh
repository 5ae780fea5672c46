# shellcheck shell=bash
# Sourced by check.sh and demo.sh: `install_packages NAME...` installs the Debian packages that are not there yet.

install_packages() {
    local missing=() name
    command -v dpkg-query > /dev/null || { echo "this is no Debian system: $* must be installed already" >&2; return 0; }
    for name in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2> /dev/null)" = installed ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo > /dev/null || { echo "these packages are missing, and there is no sudo: ${missing[*]}" >&2; return 1; }
        as_root=(sudo)
    fi
    echo "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
}
