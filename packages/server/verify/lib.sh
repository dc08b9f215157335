# What both scripts of the check share; they are sourced by sh.
unset NODE_EXTRA_CA_CERTS NODE_OPTIONS NODE_COMPILE_CACHE
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 NO_COLOR=1

passed() { echo "ok    $1"; }
fail() {
  echo "FAIL  $1"
  exit 1
}
expect() { # <what> <command…>
  what=$1
  shift
  "$@" >/tmp/out 2>&1 || {
    cat /tmp/out
    fail "$what"
  }
  passed "$what"
}
install_package() {
  apt-get install -y -qq --no-install-recommends "$1" >/tmp/out 2>&1 || {
    tail -20 /tmp/out
    fail "apt-get install $1"
  }
}
as() { # <user> <command…>: as systemd would start it, with nothing of this environment
  user=$1
  shift
  home=$(getent passwd "$user" | cut -d: -f6)
  setpriv --reuid "$user" --regid "$user" --clear-groups \
    env -i PATH=/usr/bin:/bin HOME="$home" LC_ALL=C.UTF-8 NO_COLOR=1 ${DATA:+EARSHOT_DATA_DIR=$DATA} "$@"
}
