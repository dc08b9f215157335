#!/bin/sh
# Runs inside a clean root (see packages/server/verify/main.ts): installs the desktop package, beside and over the one for
# servers, starts its window as root and as a person, transcribes, upgrades in a job, removes and purges.
#   in-root.sh <lower.deb> <package.deb> <server.deb>
set -eu
. /verify/lib.sh
lower=$1
package=$2
server=$3

version() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null || true; }
state() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || echo none; }
alone() { # <installed> <replaced>
  [ "$(state "$1")" = installed ] || fail "$1 is $(state "$1")"
  case $(state "$2") in none | not-installed | config-files) ;; *) fail "$2 is still $(state "$2")" ;; esac
  [ "$(dpkg -S /usr/bin/earshot)" = "$1: /usr/bin/earshot" ] || fail "/usr/bin/earshot is not of $1"
}
# A person's window on a virtual screen: the sandbox stays on.
window() { # <user> <command…>
  user=$1
  shift
  # A name space of people's own lets Chromium do without the helper; either is a sandbox.
  DATA='' as "$user" xvfb-run -a -s '-screen 0 1280x900x24' dbus-run-session -- "$@"
}
answers() { # <user>
  file=$(getent passwd "$1" | cut -d: -f6)/.local/share/earshot/server.json
  [ -s "$file" ] && url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$file") &&
    /usr/lib/earshot/node -e 'fetch(process.argv[1] + "/v1/health").then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))' "$url"
}
filtered() { # a page's first process may have ended meanwhile
  pgrep -u person -f 'type=renderer' | sed 's|.*|/proc/&/status|' | xargs sed -n 's/^Seccomp:[[:space:]]*//p' 2>/dev/null | grep -q 2
}
wait_for() { # <what is wrong> <command…>
  what=$1
  shift
  for _ in $(seq 300); do
    "$@" && return 0
    sleep 0.2
  done
  fail "$what"
}

dpkg --list xvfb xauth dbus >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends xvfb xauth dbus >/tmp/out 2>&1
install_package "$server"
alone earshot earshot-desktop
install_package "$lower"
alone earshot-desktop earshot
passed "the desktop package $(version earshot-desktop) took the place of the one for servers"
install_package "$server"
alone earshot earshot-desktop
passed "and the other way round"
apt-get purge -y -qq earshot >/tmp/out 2>&1 || fail "purge of the package for servers"
dpkg -i "$lower" >/tmp/out 2>&1 || fail "dpkg -i"
[ "$(stat -c %a /opt/Earshot/chrome-sandbox)" = 4755 ] || fail "the sandbox's helper lacks its bit"
[ -s /usr/share/doc/earshot-desktop/copyright ] || fail "there is no copyright file"
! grep -rq earshot /usr/share/mime/packages 2>/dev/null || fail "the package defines media types"
passed "installed with dpkg; copyright, sandbox, and no media types of its own"
missing=$(ldd /opt/Earshot/earshot | grep 'not found' || true)
[ -z "$missing" ] || fail "a library is missing: $missing"
passed "every library of Electron is there"

id person >/dev/null 2>&1 || useradd --create-home person
DATA=
expect "the command line is there: $(as person earshot --version)" as person earshot --help
as person earshot transcribe >/tmp/text 2>/tmp/out || {
  cat /tmp/out
  fail "transcribe on the command line"
}
passed "the command line transcribed: $(head -1 /tmp/text)"
window root earshot >/tmp/as-root 2>&1 || true
grep -q 'without --no-sandbox is not supported' /tmp/as-root || fail "as root, the window did not refuse"
passed "as root, the window refuses to run without its sandbox"

window person earshot >/tmp/window 2>&1 &
wait_for "the window's service does not answer" answers person
program=$(pgrep -u person -f '^/opt/Earshot/earshot$' | head -1)
! pgrep -u person -f -- --no-sandbox >/dev/null || fail "the window has no sandbox"
wait_for "the window's calls are not filtered" filtered
passed "a person's window runs in its sandbox"
ffmpeg -v error -y -stream_loop 4 -i /usr/lib/earshot/resources/samples/two-readers.mp3 /tmp/long.wav
chmod a+r /tmp/long.wav
as person earshot transcribe /tmp/long.wav >/tmp/job 2>&1 &
job=$!
sleep 3
install_package "$package"
passed "upgraded to $(version earshot-desktop) in a job"
wait $job || fail "the job did not end after the upgrade: $(tail -3 /tmp/job)"
passed "the job went on and ended"
kill -TERM "$program"
wait_for "the program did not end" sh -c "! kill -0 $program 2>/dev/null"
window person earshot >/tmp/window 2>&1 &
wait_for "the upgraded window's service does not answer" answers person
pkill -TERM -u person -f '^/opt/Earshot/earshot$'
passed "the upgraded program started"
sleep 2

apt-get purge -y -qq earshot-desktop >/tmp/out 2>&1 || fail "purge"
# What it depended on; the check of the package for servers begins with a clean root.
apt-get autoremove --purge -y -qq >/tmp/out 2>&1 || fail "autoremove"
[ ! -e /opt/Earshot ] && [ ! -e /usr/lib/earshot ] && [ ! -e /usr/bin/earshot ] || fail "files are left after the purge"
[ -s /home/person/.local/share/earshot/earshot.db ] || fail "the purge took a person's library"
passed "purged; a person's library stays"
