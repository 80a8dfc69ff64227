#!/usr/bin/env bash
# Proves the fresh machine: makes a minimal Debian in a temporary folder, copies this checkout into it and runs a
# command there, scripts/demo.sh unless another is given. Prints how long the first line of training and the whole took,
# and ends with the command's exit status. Nothing is left behind.
#
#   sudo bash scripts/fresh.sh [--suite bookworm] [--first-line REGEX] [--bring FOLDER] [COMMAND ARGUMENT...]
#
# The files that lie in FOLDER are in /brought there. Needs root, mmdebstrap and git. How packages are reached (apt's
# settings, certificates, pip's settings, proxies) is taken over from this machine; nothing else is.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

suite=bookworm
brought=
first_line='^(pretraining|outer steps)'
while [[ $# -gt 0 ]]; do
  case $1 in
    --suite) suite=${2:?--suite needs a name}; shift 2 ;;
    --first-line) first_line=${2:?--first-line needs a regular expression}; shift 2 ;;
    --bring) brought=${2:?--bring needs a folder}; shift 2 ;;
    --) shift; break ;;
    --*) fail "unknown option $1; known are --suite, --first-line and --bring" ;;
    *) break ;;
  esac
done
[[ $# -gt 0 ]] || set -- bash scripts/demo.sh
[[ $(id -u) == 0 ]] || fail "needs root: a chroot is made and entered"
command -v mmdebstrap >/dev/null || fail "needs mmdebstrap: apt-get install mmdebstrap"

# Mounts are made in a namespace of their own and end with it, so that a folder is all there is to remove.
work=$(mktemp -d -t dipaco-fresh.XXXXXX)
machine=$work/machine
trap 'rm -rf --one-file-system "$work"' EXIT

make_machine() {
  local sources=/etc/apt/sources.list.d/debian.sources
  [[ -f $sources ]] || sources=  # then mmdebstrap's own
  chmod 755 "$work"
  apt-config dump Acquire >"$work/apt.conf"
  mmdebstrap --variant=minbase --quiet --aptopt="$work/apt.conf" "$suite" "$machine" ${sources:+"$sources"} ||
    fail "mmdebstrap could not make $suite"
}

take_over_network() {
  local file
  for file in /etc/resolv.conf /etc/pip.conf; do
    if [[ -f $file ]]; then cp -L "$file" "$machine$file"; fi
  done
  # ca-certificates, installed later, makes its bundle anew from this folder.
  mkdir -p "$machine/usr/local/share"
  cp -r /usr/local/share/ca-certificates "$machine/usr/local/share/"
}

# As Debian's installer does; mmdebstrap leaves it to others.
name_machine() {
  printf '%s\n' '127.0.0.1 localhost' "127.0.1.1 $(uname -n)" '::1 localhost ip6-localhost ip6-loopback' >"$machine/etc/hosts"
}

copy_checkout() {
  mkdir -p "$machine/dipaco"
  (cd "$dipaco_root" && git ls-files -z --cached --others --exclude-standard |
    while IFS= read -r -d '' file; do [[ ! -e $file ]] || printf '%s\0' "$file"; done |
    tar --null --files-from=- --create --file=-) | tar -x -C "$machine/dipaco"
  if [[ -n $brought ]]; then
    mkdir "$machine/brought"
    find "$brought" -maxdepth 1 -type f -exec cp -t "$machine/brought" {} +
  fi
}

# Runs the command in the new machine with an empty home and of the environment only what leads to packages.
enter() {
  local name environment=(HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_EXTRA_INDEX_URL \
    PIP_DEFAULT_TIMEOUT; do
    if [[ -n ${!name:-} ]]; then environment+=("$name=${!name}"); fi
  done
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --propagation private --pid --fork --kill-child bash -c '
    set -e
    machine=$1; shift
    mount --bind "$machine" "$machine"  # a root that is a mount, which network namespaces need
    mount -t proc proc "$machine/proc"
    mount --rbind /dev "$machine/dev"
    mount --rbind /sys "$machine/sys"
    exec chroot "$machine" env -i "$@"' enter "$machine" "${environment[@]}" \
    bash -c 'cd /dipaco && exec "$@"' command "$@" </dev/null 2>&1
}

watch() {
  local line seen=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ -z $seen && $line =~ $first_line ]]; then seen=$SECONDS; fi
  done
  [[ -z $seen ]] || say "fresh machine: first line of training after $seen s"
}

say "fresh machine: making a minimal Debian $suite"
make_machine
take_over_network
name_machine
copy_checkout
say "fresh machine: $*"
SECONDS=0
status=0
enter "$@" | watch || status=${PIPESTATUS[0]}
say "fresh machine: exit $status after $SECONDS s"
exit "$status"
