#!/bin/sh
# Becomes systemd as the first process of namespaces of its own: no unit of the machine, a /etc and a /run that are thrown
# away, the engine's socket, and one folder (shared with the machine) whose mounts the engine sees. Run in new namespaces of
# mounts and processes. Usage: systemd-root.sh <data folder> <checkout> <engine's socket>
# <control group> …
set -eu
data=$1 checkout=$2 socket=$3
shift 3

for group in "$@"; do
  echo 0 > "$group/cgroup.procs"
done

# What is mounted here stays here, but for the data folder.
cut -d ' ' -f 5 /proc/self/mountinfo | while read -r place; do
  [ "$place" = "$data" ] || mount --make-private "$place" 2> /dev/null || true
done
mount -t proc proc /proc
mount -t tmpfs botel-systemd /srv
mkdir /srv/etc /srv/work /srv/botel
touch /srv/docker.sock
mount --bind "$socket" /srv/docker.sock
# Units with a /tmp of their own would not see a checkout in there.
mount --bind "$checkout" /srv/botel
# After it: the folders that systemd makes for units are of no use to the machine.
mount -t tmpfs botel-tmp /tmp
mount -t tmpfs botel-tmp /var/tmp
mount -t overlay botel-etc -o lowerdir=/etc,upperdir=/srv/etc,workdir=/srv/work /etc
mount -t tmpfs -o mode=755 botel-run /run
touch /run/docker.sock
mount --bind /srv/docker.sock /run/docker.sock

rm -rf /etc/systemd/system
mkdir -p /etc/systemd/system
for target in sysinit basic multi-user network-online shutdown default; do
  printf '[Unit]\nDescription=%s\n' "$target" > "/etc/systemd/system/$target.target"
done
# In a container systemd leaves the machine's devices and settings alone.
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=other SYSTEMD_UNIT_PATH=/etc/systemd/system \
  /lib/systemd/systemd --system --unit=default.target --log-target=null
