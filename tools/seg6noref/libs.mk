# SPDX-License-Identifier: GPL-2.0-only
#
# Libraries of seg6noref, its tests and its fuzz targets

PKG_CONFIG ?= pkg-config

LIB_CFLAGS := $(shell $(PKG_CONFIG) --cflags libmnl 2>/dev/null)
LIBS	:= $(shell $(PKG_CONFIG) --libs libmnl 2>/dev/null || echo -lmnl)

# Without it only pinned programs can be given to End.BPF.
ifeq ($(shell $(PKG_CONFIG) --exists libbpf 2>/dev/null && echo yes),yes)
LIB_CFLAGS += -DHAVE_LIBBPF $(shell $(PKG_CONFIG) --cflags libbpf)
LIBS	+= $(shell $(PKG_CONFIG) --libs libbpf)
endif
