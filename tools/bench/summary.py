# SPDX-License-Identifier: GPL-2.0-only
"""One line for each behaviour: what it costs above plain forwarding."""

# Ours / in-tree at most: all of it, and without skipping lookups.
LIMITS = {'End': (.22, .90), 'End.X-onlink': (.15, .55),
          'End.X-gateway': (.25, .90), 'End.T': (.35, .95),
          'End.DX6-onlink': (.20, .58), 'End.DT6': (.45, .97),
          'End.DX4': (.90, .90), 'End.DT4': (.90, .90)}
OURS = ('noref', 'layer1', 'full')
FRAMES = {'end-94', 'dx6-srperf', 'ip4in6-82'}


def ratio(ours, tree):
    """Ours / in-tree, None where either is missing."""
    return None if ours is None or not tree else round(ours / tree, 4)


def judge(value, limit):
    """Whether a figure holds."""
    return None if value is None else value <= limit


def rows(result):
    """The rows of the last table."""
    cost, plain = {}, {}
    for row in result['instructions']:
        if row['row'] in LIMITS and row['frame'] in FRAMES:
            key = (row['kernel'], row['vrf'], row['row'])
            cost.setdefault(key, {})[row['variant']] = row.get('above')
            plain[key] = row.get('plain')
    found = []
    for (kernel, vrf, name), above in cost.items():
        tree = above.get('in-tree')
        full, layer1 = LIMITS[name]
        row = {'kernel': kernel, 'vrf': vrf, 'row': name,
               'plain': plain[kernel, vrf, name], 'in_tree': tree}
        for variant in OURS:
            row[variant] = above.get(variant)
            row[variant + '_ratio'] = ratio(above.get(variant), tree)
        row['ratio'] = row.pop('full_ratio')
        if row['full'] is None:
            row['ratio'] = row['layer1_ratio']
        row.update(limit=full, limit_layer1=layer1,
                   ok=judge(row['ratio'], full),
                   ok_layer1=judge(row['layer1_ratio'], layer1))
        found.append(row)
    return found


def number(value, form='%d'):
    """A figure, or a dash."""
    return '-' if value is None else form % value


def table(result):
    """Lines of the last table."""
    form = '%-15s %6s %8s %7s %7s %7s %9s %10s %6s'
    heading = None
    for row in result['summary']:
        if heading != (row['kernel'], row['vrf']):
            heading = row['kernel'], row['vrf']
            yield ''
            yield ('%s%s: instructions for a packet; above plain forwarding '
                   'of the same frame' % (
                       row['kernel'], ', a VRF present' if row['vrf'] else ''))
            yield form % ('behaviour', 'plain', 'in-tree', 'noref', 'layer 1',
                          'full', 'layer1/in', 'limits', 'ratio')
        yield form % (
            row['row'], row['plain'], number(row['in_tree']),
            number(row['noref']), number(row['layer1']), number(row['full']),
            number(row['layer1_ratio'], '%.3f'),
            '%.2f %.2f' % (row['limit_layer1'], row['limit']),
            number(row['ratio'], '%.3f'))
