#!/bin/sh
# What the unit of deploy/systemd forbids, as far as it can be had without systemd as process 1:
#   sandbox.sh FILTER FOLDER REPOSITORY COMMAND...
# read-only root, FOLDER alone writable, /tmp, /home and /dev of its own, /proc with processes alone, no privileges, no
# capabilities, another user, the unit's filter of system calls.
set -eu
filter=$1 folder=$2 repository=$3
shift 3
[ "${INSIDE:-}" ] || INSIDE=1 exec unshare --mount "$0" "$filter" "$folder" "$repository" "$@"
unset INSIDE
mount -t proc -o subset=pid,hidepid=invisible proc /mnt
exec 9<"$filter"
umask 0077
exec setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
  bwrap --ro-bind / / --bind /mnt /proc --dev /dev --tmpfs /tmp --tmpfs /home --tmpfs /root --tmpfs /run \
  --ro-bind "$repository" "$repository" --bind "$folder" "$folder" --chdir / \
  --unshare-user --unshare-ipc --unshare-uts --unshare-cgroup-try --cap-drop ALL --seccomp 9 "$@"
