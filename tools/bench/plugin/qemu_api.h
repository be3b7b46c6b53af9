/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * qemu_api.h - what the plugin uses of QEMU's interface for plugins
 *
 * Debian's QEMU takes plugins but ships no header for them; these are
 * declarations of our own.  They are those of version 1 of the interface
 * (QEMU 6.0 to 8.2); QEMU refuses a plugin of a version that it has left
 * behind.
 */
#ifndef SEG6NR_QEMU_API_H
#define SEG6NR_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

struct qemu_info_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { PLUGIN_NO_REGS };
enum { PLUGIN_MEM_R = 1, PLUGIN_MEM_W, PLUGIN_MEM_RW };

typedef void (*plugin_trans_cb)(qemu_plugin_id_t id,
				struct qemu_plugin_tb *tb);
typedef void (*plugin_exec_cb)(unsigned int vcpu, void *data);
typedef void (*plugin_mem_cb)(unsigned int vcpu, qemu_plugin_meminfo_t info,
			      uint64_t vaddr, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   plugin_trans_cb cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
					  plugin_exec_cb cb, int regs,
					  void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    plugin_exec_cb cb, int regs,
					    void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      plugin_mem_cb cb, int regs, int rw,
				      void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
	const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);

#endif
