#!/bin/sh
# Runs inside a container that systemd booted (see main.ts), with the lower version installed: starts both units as a person
# or an administrator would, upgrades under a running job, and removes the package.
#   in-boot.sh <package.deb>
set -eu
. /verify/lib.sh
package=$1
DATA=/var/lib/earshot

# A line of JSON from the running service: <key> <method> <path> [<body>]
api() {
  /usr/lib/earshot/node --input-type=module -e '
    const [key, method, path, body] = process.argv.slice(1);
    const headers = { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(`http://127.0.0.1:3277${path}`, { method, headers, body });
    console.log(await answer.text());
    process.exitCode = answer.ok ? 0 : 1;
  ' "$@"
}
upload() { # <key> <file>
  /usr/lib/earshot/node --input-type=module -e '
    import { openAsBlob } from "node:fs";
    import { basename } from "node:path";
    const [key, file] = process.argv.slice(1);
    const body = new FormData();
    body.append("file", await openAsBlob(file), basename(file));
    const answer = await fetch("http://127.0.0.1:3277/v1/storage/upload", {
      method: "POST", headers: { authorization: `Bearer ${key}` }, body });
    if (!answer.ok) throw new Error(await answer.text());
    console.log((await answer.json()).data.file.key);
  ' "$@"
}
field() { sed "s/.*\"$1\":\"\\{0,1\\}\\([^\",}]*\\).*/\\1/"; }
wait_for() { # <what> <command…>
  what=$1
  shift
  for _ in $(seq 1200); do
    "$@" >/tmp/out 2>&1 && return
    sleep 0.1
  done
  cat /tmp/out
  journalctl --no-pager -u earshot | tail -20
  fail "$what"
}
answers() { api '' GET /v1/health; }
owner() { stat -c %U "/proc/$1"; }
main_pid() { systemctl show --property MainPID --value earshot; }

[ "$(systemctl is-enabled earshot || true)" = disabled ] || fail "the unit is enabled"
[ "$(systemctl is-active earshot || true)" = inactive ] || fail "the unit is active"
expect "systemd finds no fault in the system unit" systemd-analyze verify --man=no /usr/lib/systemd/system/earshot.service
expect "nor in the user unit" env XDG_RUNTIME_DIR=/run systemd-analyze --user verify --man=no /usr/lib/systemd/user/earshot.service
expect "its exposure is low: $(systemd-analyze security --no-pager earshot.service | tail -1 | sed 's/.*service: //; s/ [^ ]*$//')" \
  systemd-analyze security --threshold=20 earshot.service

systemctl enable --now earshot 2>/dev/null
lower=$(dpkg-query -W -f '${Version}' earshot)
wait_for "the service does not answer" answers
pid=$(main_pid)
[ "$(owner "$pid")" = earshot ] || fail "the service runs as another user"
status() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status"; }
[ "$(status NoNewPrivs "$pid") $(status CapEff "$pid") $(status CapBnd "$pid")" = "1 0000000000000000 0000000000000000" ] ||
  fail "the service has privileges"
# A container filters calls of everything in it.
[ "$(status Seccomp_filters "$pid")" -gt "$(status Seccomp_filters 1)" ] || fail "the service's system calls are not filtered"
inside() { nsenter --mount --target "$pid" "$@"; }
! inside touch /usr/lib/earshot/touched 2>/dev/null || fail "the service may write below /usr"
[ -z "$(inside ls -A /home)" ] || fail "the service sees homes"
passed "the system unit runs $lower as the user earshot, without privileges, /usr read-only, homes hidden, calls filtered"

key=$(as earshot earshot keys create verify 2>/dev/null)
file=$(upload "$key" /usr/lib/earshot/resources/samples/two-readers.mp3)
text=$(api "$key" POST /v1/transcript "{\"audio_url\":\"storage:$file\",\"wait_until_complete\":true}")
[ "$(echo "$text" | field status)" = completed ] || fail "the service did not transcribe: $text"
passed "it transcribed: $(echo "$text" | field text)"

# Long enough that the upgrade comes while it is transcribed.
loop() { ffmpeg -v error -y -stream_loop 4 -i /usr/lib/earshot/resources/samples/two-readers.mp3 /tmp/long.wav; }
expect "a long recording is there" loop
file=$(upload "$key" /tmp/long.wav)
id=$(api "$key" POST /v1/transcript "{\"audio_url\":\"storage:$file\"}" | field id)
has_started() { api "$key" GET "/v1/transcript/id/$id" | grep -q '"start"'; }
wait_for "the job has not started" has_started
install_package "$package"
higher=$(dpkg-query -W -f '${Version}' earshot)
wait_for "the service does not answer after the upgrade" answers
[ "$(main_pid)" != "$pid" ] || fail "the upgrade did not restart the service"
is_completed() { [ "$(api "$key" GET "/v1/transcript/id/$id" | field status)" = completed ]; }
has_started || fail "the restart lost what was transcribed"
wait_for "the job was not resumed" is_completed
passed "the upgrade to $higher restarted it, and the job went on and ended"
systemctl disable --now earshot 2>/dev/null
[ "$(systemctl show --property Result --value earshot)" = success ] || fail "the service did not stop cleanly"

# in-root.sh has made the account.
loginctl enable-linger visitor
uid=$(id -u visitor)
user() { as visitor env XDG_RUNTIME_DIR="/run/user/$uid" systemctl --user "$@"; }
DATA=
wait_for "there is no systemd of the person" user is-system-running --wait
user enable --now earshot 2>/dev/null
wait_for "the person's service does not answer" answers
[ "$(owner "$(user show --property MainPID --value earshot)")" = visitor ] || fail "it runs as another user"
user disable --now earshot 2>/dev/null
[ "$(user show --property Result --value earshot)" = success ] || fail "the person's service did not stop cleanly"
passed "the user unit ran for a person and stopped"

systemctl enable --now earshot 2>/dev/null
wait_for "the service does not answer" answers
apt-get remove -y -qq earshot >/tmp/out 2>&1 || fail "remove"
[ "$(systemctl is-active earshot || true)" = inactive ] || fail "the removal left the service running"
passed "the removal stopped the service"
apt-get purge -y -qq earshot >/tmp/out 2>&1 || fail "purge"
[ ! -e /etc/systemd/system/multi-user.target.wants/earshot.service ] || fail "the purge left the unit enabled"
passed "the purge left no unit"
