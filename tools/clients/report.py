# SPDX-License-Identifier: GPL-2.0-only
"""Result lines, and what makes a case fail."""
import os
import re
import sys
import traceback

COMPLAINT = re.compile(
    r'BUG[: ]|WARNING:|Oops|refcount_t:|waiting for|hw csum failure|'
    r'Dead loop|rcu: INFO|list_(add|del) corruption|blocked for more than')


class Failure(Exception):
    """Why a case failed."""


def need(condition, text):
    """Fail the case unless the condition holds."""
    if not condition:
        raise Failure(text)


class KernelLog:
    """The kernel log from now on."""

    def __init__(self):
        self.file = os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.file, 0, os.SEEK_END)

    def lines(self):
        """Return what was logged since the last call."""
        found = []
        while True:
            try:
                text = os.read(self.file, 8192)
            except BlockingIOError:
                return found
            except BrokenPipeError:
                # Old lines were overwritten before we came to read them.
                continue
            head, _, rest = text.partition(b';')
            if head:
                found.append(rest.decode(errors='replace').split('\n')[0])

    def complaints(self):
        """Return the lines that tell of a mistake in the kernel."""
        return [line for line in self.lines() if COMPLAINT.search(line)]


class Report:
    """Prints one line for each case, and the totals."""

    def __init__(self, select):
        self.select = re.compile(select)
        self.passed = self.failed = 0
        self.log = KernelLog()

    def wanted(self, name):
        """Whether the user asked for this case."""
        return bool(self.select.search(name))

    def run(self, name, function, *args):
        """Run a case: it raises Failure or returns."""
        if not self.wanted(name):
            return
        trouble = ''
        try:
            function(*args)
        except Failure as failure:
            trouble = str(failure)
        except Exception as problem:  # a case must not end the run
            traceback.print_exc(file=sys.stdout)
            trouble = '%s: %s' % (type(problem).__name__, problem)
        complaints = self.log.complaints()
        if complaints:
            trouble = '; '.join([trouble] * bool(trouble) + complaints)
        self.result(name, trouble)

    def result(self, name, trouble):
        """Print what came of a case; trouble is empty if it passed."""
        if trouble:
            self.failed += 1
            print('not ok %s: %s' % (name, trouble.replace('\n', ' | ')))
        else:
            self.passed += 1
            print('ok', name)
        sys.stdout.flush()

    def totals(self):
        """Print the last line; return the exit status."""
        print('%d passed, %d failed' % (self.passed, self.failed))
        return 1 if self.failed or not self.passed else 0


def remark(text):
    """Print a line that is no result."""
    for line in text.split('\n'):
        print('#', line)
    sys.stdout.flush()
