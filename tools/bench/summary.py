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


def atomics(result):
    """Lines of the table of what is written where."""
    form = '%-15s %-9s %7s %7s %7s %8s %8s %7s %6s'
    heading = None
    for row in result['atomics']:
        if heading != row['kernel']:
            heading = row['kernel']
            yield ''
            yield (heading + ': for a packet; shared is what both CPUs use, '
                   'private one CPU\'s packets and routes')
            yield form % ('', '', 'atomic', 'atomic', 'atomic', 'shared',
                          'shared', 'calls of', 'route')
            yield form % ('behaviour', 'variant', 'all', 'shared', 'private',
                          'stores', 'lines', 'release', 'allocs')
        yield form % (
            row['row'], row['variant'], '%.2f' % row['rmw'],
            '%.2f' % row['rmw_shared'], '%.2f' % row['rmw_skb'],
            '%.2f' % row['shared_writes'], row['shared_lines'],
            '%.2f' % row['dst_release'], '%.2f' % row['route_alloc'])


def growth(result):
    """Lines of how the cost of End grows, and of the memory of SIDs."""
    points = {}
    for row in result['growth']:
        if row['variant'] != 'plain':
            points.setdefault((row['kernel'], row['axis'], row['value']),
                              {})[row['variant']] = row['above']
    if points:
        yield ''
        yield 'End as a router grows: instructions above plain forwarding'
        yield '%-11s %-9s %7s' % ('kernel', 'axis', 'value') + ''.join(
            '%9s' % v for v in ('in-tree',) + OURS)
    for (kernel, axis, value), costs in points.items():
        yield '%-11s %-9s %7d' % (kernel, axis, value) + ''.join(
            '%9s' % number(costs.get(v)) for v in ('in-tree',) + OURS)
    for row in result['memory']:
        yield '%s, %d SIDs, %s, %s: %.0f octets each, %.0f of them per CPU' % (
            row['kernel'], row['sids'], row['variant'], row['state'],
            row['bytes_per_sid'], row['of_which_percpu'])


def native(result):
    """Lines of packets a second."""
    form = '%-15s %-8s %4s %-5s %8s %17s %10s'
    if result['native']:
        yield ''
        yield 'native speed, medians and quartiles'
        yield form % ('behaviour', 'variant', 'CPUs', 'to', 'Mpps',
                      'quartiles', 'efficiency')
    for row in result['native']:
        yield form % (row['row'], row['variant'], row['cpus'], row['egress'],
                      '%.3f' % row['mpps'],
                      '%.3f .. %.3f' % (row['q1'], row['q3']),
                      number(row.get('efficiency'), '%.2f'))


def profile(result):
    """Lines of what each function costs above plain forwarding."""
    plain = {(row['kernel'], row['frame'], row['vrf']): row['functions']
             for row in result['atomics'] if row['variant'] == 'plain'}
    cells = {}
    for row in result['atomics']:
        if row['variant'] == 'plain':
            continue
        base = plain[row['kernel'], row['frame'], row['vrf']]
        cell = cells.setdefault((row['kernel'], row['row']), {})
        for name in set(row['functions']) | set(base):
            cost = row['functions'].get(name, 0) - base.get(name, 0)
            if abs(cost) >= 1:
                cell.setdefault(name, {})[row['variant']] = cost
    for (kernel, name), cell in cells.items():
        variants = [v for v in ('in-tree',) + OURS
                    if any(v in costs for costs in cell.values())]
        yield '\n%s %s: instructions above plain forwarding' % (kernel, name)
        yield '%-36s' % 'function' + ''.join('%9s' % v for v in variants)
        total = {v: sum(c.get(v, 0) for c in cell.values()) for v in variants}
        rest = sorted(cell.items(), key=lambda item: -max(
            abs(c) for c in item[1].values()))
        for function, costs in [('all', total)] + rest:
            yield '%-36s' % function + ''.join(
                '%9s' % ('%.0f' % costs[v] if v in costs else '')
                for v in variants)
