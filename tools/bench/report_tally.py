# SPDX-License-Identifier: GPL-2.0-only
"""unittest with the verdict lines and the last line of the other tests."""
import sys
import unittest


class Tally(unittest.TextTestResult):
    """A line for each case, as the other tests print it."""
    def verdict(self, word, test):
        name = type(test).__name__.lower() + "_" + test._testMethodName[5:]
        print(f"{word} {name}")

    def addSuccess(self, test):
        super().addSuccess(test)
        self.verdict("ok", test)

    def addError(self, test, err):
        super().addError(test, err)
        self.verdict("not ok", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.verdict("not ok", test)


def tally(module="__main__"):
    """Runs the cases of a module; exit status."""
    runner = unittest.TextTestRunner(stream=sys.stderr, verbosity=0,
                                     resultclass=Tally)
    suite = unittest.defaultTestLoader.loadTestsFromName(module)
    result = runner.run(suite)
    failed = len(result.errors) + len(result.failures)
    passed = result.testsRun - failed - len(result.skipped)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
