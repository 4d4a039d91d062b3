"""Writes what a unit's SystemCallFilter=, RestrictAddressFamilies= and RestrictNamespaces= forbid as a filter of
system calls (BPF) to standard output, for `bwrap --seccomp`."""

import errno
import re
import socket
import subprocess
import sys

import seccomp


def members(group):
    """The system calls of a group such as @system-service, as systemd-analyze lists them."""
    text = subprocess.run(
        ["systemd-analyze", "syscall-filter", group], check=True, capture_output=True, text=True
    ).stdout
    names = [line.strip() for line in text.splitlines()[1:]]
    for name in names:
        if name.startswith("@"):
            yield from members(name)
        elif name and not name.startswith("#"):
            yield name


unit = open(sys.argv[1]).read()


def values(name):
    return re.findall(rf"^{name}=(.*)$", unit, re.MULTILINE)


allowed = set()
for value in values("SystemCallFilter"):
    named = {name for group in value.lstrip("~").split() for name in members(group)}
    allowed = allowed - named if value.startswith("~") else allowed | named
if values("RestrictNamespaces") == ["yes"]:
    allowed -= {"unshare", "setns", "clone3"}
families = [getattr(socket, name) for line in values("RestrictAddressFamilies") for name in line.split()]
if families:
    allowed.discard("socket")

filter = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
for name in sorted(allowed):
    # Negative: this architecture has none of that name.
    if seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) >= 0:
        filter.add_rule(seccomp.ALLOW, name)
for family in families:
    filter.add_rule(seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, family))
# As systemd does it: the C library then takes clone, whose flags a filter can see.
filter.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
filter.export_bpf(sys.stdout)
