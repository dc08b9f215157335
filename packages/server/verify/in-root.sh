#!/bin/sh
# Runs inside a clean root (see main.ts): installs, uses, upgrades, removes and purges the package, and prints what it saw.
#   in-root.sh <lower.deb> <package.deb>
set -eu
. /verify/lib.sh
lower=$1
package=$2

# The number of transcripts in the library of a user.
count() {
  as "$1" earshot storage verify --json >/dev/null 2>&1 || true
  as "$1" sh -c 'find "${EARSHOT_DATA_DIR:-$HOME/.local/share/earshot}/transcripts" -mindepth 1 -maxdepth 1 | wc -l'
}

[ ! -e /usr/bin/node ] && [ ! -e /usr/bin/ffmpeg ] || fail "the root is not clean"
install_package "$lower"
passed "installed $(dpkg-query -W -f '${Version}' earshot) with $(dpkg -l | grep -c '^ii') packages in the root"
expect "earshot is on the PATH" sh -c 'earshot --version && [ "$(command -v earshot)" = /usr/bin/earshot ]'
[ ! -e /usr/bin/node ] || fail "Node was installed beside the package's own"
for file in share/man/man1/earshot.1.gz share/applications/earshot.desktop share/icons/hicolor/512x512/apps/earshot.png \
  share/bash-completion/completions/earshot lib/systemd/user/earshot.service lib/systemd/system/earshot.service; do
  # A minimal root may leave manual pages out, as containers do.
  [ -e "/usr/$file" ] || case $file in share/man/*) [ -e /etc/dpkg/dpkg.cfg.d/docker ] || fail "/usr/$file is missing" ;; *) fail "/usr/$file is missing" ;; esac
done
passed "manual page, desktop entry, icons, completion and units are there"
[ -z "$(find /etc/systemd -name 'earshot.service' 2>/dev/null)" ] || fail "a unit is enabled"
passed "no unit is enabled"

useradd --create-home visitor
DATA='' as visitor earshot transcribe >/tmp/text 2>/tmp/out || {
  cat /tmp/out
  fail "transcribe as a person"
}
passed "a person transcribed the sample: $(head -1 /tmp/text)"

DATA=/var/lib/earshot
[ "$(stat -c %U:%a $DATA)" = earshot:700 ] || fail "/var/lib/earshot is $(stat -c %U:%a $DATA)"
as earshot earshot transcribe >/tmp/text 2>/tmp/out || {
  cat /tmp/out
  fail "transcribe as the service's user"
}
as earshot earshot serve --json --port 3999 >/tmp/service 2>/tmp/out &
service=$!
for _ in $(seq 600); do
  [ -s /tmp/service ] && break
  kill -0 $service 2>/dev/null || {
    cat /tmp/out
    fail "the service"
  }
  sleep 0.1
done
/usr/lib/earshot/node -e 'fetch("http://127.0.0.1:3999/v1/health").then((a) => process.exit(a.ok ? 0 : 1))' ||
  fail "the service does not answer"
/usr/lib/earshot/node -e 'fetch("http://127.0.0.1:3999/").then((a) => a.text()).then((t) => process.exit(t.includes("<script") ? 0 : 1))' ||
  fail "the service has no window"
kill -TERM "$(sed 's/.*"pid":\([0-9]*\).*/\1/' /tmp/service)"
wait $service || fail "the service stopped with $?"
passed "the service ran as its own user, answered, served the window, and stopped on SIGTERM"

before=$(as earshot sh -c 'cd $EARSHOT_DATA_DIR && sha256sum earshot.db | cut -c1-16')
install_package "$package"
passed "upgraded to $(dpkg-query -W -f '${Version}' earshot)"
[ "$before" = "$(as earshot sh -c 'cd $EARSHOT_DATA_DIR && sha256sum earshot.db | cut -c1-16')" ] ||
  fail "the upgrade touched the library"
as earshot earshot keys list >/tmp/out 2>&1 || {
  cat /tmp/out
  fail "the library after the upgrade"
}
as earshot earshot doctor >/tmp/out 2>&1 || true
grep -q 'Database.*works' /tmp/out || {
  cat /tmp/out
  fail "doctor after the upgrade"
}
[ "$(count earshot)" -ge 1 ] || fail "the transcript is gone after the upgrade"
passed "the upgrade kept the library: $(count earshot) transcript"

apt-get remove -y -qq earshot >/tmp/out 2>&1 || fail "remove"
[ ! -e /usr/bin/earshot ] && [ ! -d /usr/lib/earshot ] || fail "files are left after the removal: $(find /usr/lib/earshot | head -3)"
[ -s /var/lib/earshot/earshot.db ] || fail "the removal took the library"
passed "removed; the library of the service stays"
apt-get purge -y -qq earshot >/tmp/out 2>&1 || fail "purge"
[ ! -e /var/lib/earshot ] && [ ! -e /etc/default/earshot ] || fail "the purge left /var/lib/earshot or /etc/default/earshot"
! getent passwd earshot >/dev/null || fail "the purge left the user"
[ -s /home/visitor/.local/share/earshot/earshot.db ] || fail "the purge took a person's library"
passed "purged: the service's library, options and user are gone; a person's library stays"
