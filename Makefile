# SPDX-License-Identifier: GPL-2.0-only
#
#   make [modules tools]     build for the running kernel (KDIR= for another)
#   make install             module through DKMS, helper and manual page
#   make install-ip          let the helper answer to "ip" as well
#   make uninstall           remove all of it
#   make demo                boot a stock kernel and watch frames go through
#   make test                everything that can be proved on this machine
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

dkms-source:
	install -d $(DKMS_SRC)/module
	install -m 644 Kbuild dkms.conf LICENSE $(DKMS_SRC)
	install -m 644 module/Kbuild module/*.[ch] $(DKMS_SRC)/module

# DKMS calls it an error to remove what it does not know.
define dkms-remove
	@if dkms status -m $(NAME) -v $(VERSION) | grep -q .; then \
		dkms remove -m $(NAME) -v $(VERSION) --all; fi
endef

# Versions of the same name are replaced, others are left to their owner.
install: tools dkms-source
	$(dkms-remove)
	dkms add -m $(NAME) -v $(VERSION)
	dkms build -m $(NAME) -v $(VERSION) -k $(KVER)
	dkms install -m $(NAME) -v $(VERSION) -k $(KVER)
	$(MAKE) -C tools/seg6noref install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

# In front of the real ip in the PATH of root and of sudo.
install-ip:
	install -d $(DESTDIR)$(PREFIX)/sbin
	ln -sfn seg6noref $(DESTDIR)$(PREFIX)/sbin/ip

uninstall:
	@if [ "$$(readlink $(DESTDIR)$(PREFIX)/sbin/ip)" = seg6noref ]; then \
		rm -f $(DESTDIR)$(PREFIX)/sbin/ip; fi
	$(MAKE) -C tools/seg6noref uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)
	$(dkms-remove)
	rm -rf $(DKMS_SRC)

demo:
	tools/demo/demo

test:
	tools/test/all

check:
	tools/test/check

clean:
	-$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C tools/seg6noref clean

.PHONY: all modules kunit tools dkms-source install install-ip uninstall \
	demo test check clean
