# SPDX-License-Identifier: GPL-2.0-only
"""Wrong expectations: with any of these every case must fail.

run.py --spoil KIND runs the table that way, so that a check which cannot fail
shows itself.  Nothing is sent otherwise than without.
"""
import copy

# What the octets of an expected frame are changed by, and where.
OCTETS = {'octet-last': -1, 'octet-mac': 0, 'octet-ip': 22}


def outcome(kind, good):
    """An outcome that is wrong in one respect; None if kind does not apply."""
    bad = copy.copy(good)
    if kind == 'frame-none':
        bad.frames = good.frames[:-1]
    elif kind == 'frame-more':
        bad.frames = good.frames + [('nb', '6(S>R) U')]
    elif kind == 'counter':
        bad.moves = [(p, b, e + 1) for p, b, e in good.moves]
    elif kind == 'cause':
        bad.cause = None if good.cause else 'drop_nomem'
    if kind.startswith('octet') or kind == 'frame-none':
        return bad if good.frames else None
    return bad


def octets(kind, frame):
    """An expected frame with one octet changed."""
    if kind not in OCTETS:
        return frame
    changed = bytearray(frame)
    changed[min(OCTETS[kind], len(frame) - 1)] ^= 1
    return bytes(changed)


KINDS = list(OCTETS) + ['frame-none', 'frame-more', 'counter', 'cause']
