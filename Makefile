# SPDX-License-Identifier: GPL-2.0-only
#
#   make [modules tools]     build for the running kernel (KDIR= for another)
#   make install             module through DKMS, helper and manual page
#   make install-ip          let the helper answer to "ip" as well
#   make uninstall           remove all of it
#   make demo                boot a stock kernel and watch frames go through
#   make test                everything that can be proved on this machine
#   make fuzz N=packets SEED=seed [MESSAGES=route messages]
#                            compare with the in-tree encap and a model
#   make check               style, static analysis and consistency only

KVER    ?= $(shell uname -r)
KDIR    ?= /lib/modules/$(KVER)/build
PREFIX  ?= /usr/local
DESTDIR ?=

NAME    := seg6local_noref
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
DKMS_SRC := $(DESTDIR)/usr/src/$(NAME)-$(VERSION)

all: modules tools

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

# SEG6NR_KUNIT=kunit needs a kernel with KUnit, =ktap does not.
kunit:
	$(MAKE) -C $(KDIR) M=$(CURDIR) SEG6NR_KUNIT=$(or $(SEG6NR_KUNIT),ktap) modules

tools:
	$(MAKE) -C tools/seg6noref

MODULE_SRC = $(filter-out %.mod.c,$(wildcard module/*.[ch]))

dkms-source:
	rm -rf $(DKMS_SRC)
	install -d $(DKMS_SRC)/module
	install -m 644 Kbuild dkms.conf LICENSE $(DKMS_SRC)
	install -m 644 module/Kbuild $(MODULE_SRC) $(DKMS_SRC)/module

# DKMS calls it an error to remove what it does not know.
define dkms-remove
	@if dkms status -m $(NAME) -v $(VERSION) | grep -q .; then \
		dkms remove -m $(NAME) -v $(VERSION) --all; fi
endef

# Kernels that have this version, to get it again beside KVER.
dkms-kernels = dkms status -m $(NAME) -v $(VERSION) | \
	sed -n 's/.*$(VERSION), \([^,]*\), [^:]*: installed.*/\1/p'

define dkms-install
	@set -e; kernels=$$($(dkms-kernels)); \
	if [ -n "$$(dkms status -m $(NAME) -v $(VERSION))" ]; then \
		dkms remove -m $(NAME) -v $(VERSION) --all; fi; \
	dkms add -m $(NAME) -v $(VERSION); \
	for k in $$(printf '%s\n' $(KVER) $$kernels | sort -u); do \
		dkms build -m $(NAME) -v $(VERSION) -k $$k; \
		dkms install -m $(NAME) -v $(VERSION) -k $$k; done
endef

# With DESTDIR, for packagers, DKMS is left to the package's own scripts.
install: tools dkms-source
	$(if $(DESTDIR),,$(dkms-install))
	$(MAKE) -C tools/seg6noref install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

# In front of the real ip in the PATH of root and of sudo; another program of
# that name is not ours to replace.
install-ip:
	install -d $(DESTDIR)$(PREFIX)/sbin
	@ip=$(DESTDIR)$(PREFIX)/sbin/ip; \
	if [ -e $$ip ] && [ "$$(readlink $$ip)" != seg6noref ]; then \
		echo "$$ip is there already and not ours" >&2; exit 1; fi
	ln -sfn seg6noref $(DESTDIR)$(PREFIX)/sbin/ip

uninstall:
	@if [ "$$(readlink $(DESTDIR)$(PREFIX)/sbin/ip)" = seg6noref ]; then \
		rm -f $(DESTDIR)$(PREFIX)/sbin/ip; fi
	$(MAKE) -C tools/seg6noref uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(if $(DESTDIR),,$(dkms-remove))
	rm -rf $(DKMS_SRC)

demo:
	tools/demo/demo

test:
	tools/test/all

check:
	tools/test/check

N        ?= 200000
SEED     ?= 1
MESSAGES ?= 20000

fuzz:
	tools/fuzz/fuzz -n $(N) -m $(MESSAGES) -s $(SEED)

# Instructions and atomics of each behaviour against the kernel's own encap.
CACHE    ?= $(or $(SEG6NR_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/seg6local_noref)
RESULT   ?= $(CACHE)/results/bench$(if $(QUICK),-quick).json

bench:
	@mkdir -p $(dir $(RESULT))
	tools/bench/bench $(if $(filter-out 0,$(QUICK)),--quick) -o $(RESULT)

# Whether a packet costs more than it did at revision BASE.
bench-compare:
	tools/bench/compare $(BASE) $(HEAD)

EVENTS   ?= 20000

soak:
	tools/soak/soak -n $(EVENTS) -s $(SEED)

# Every kernel, or those of KERNEL: built, booted and tested.
matrix:
	tools/matrix/matrix $(or $(KERNEL),all)

# The kernel's own selftests, with our encap.
conformance:
	tools/conformance/conformance $(or $(KERNEL),7.3)

clean:
	-$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C tools/seg6noref clean

.PHONY: all modules kunit tools dkms-source install install-ip uninstall \
	demo test fuzz soak bench bench-compare matrix conformance check clean
