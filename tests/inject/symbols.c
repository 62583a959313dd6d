/* SPDX-License-Identifier: Apache-2.0 */
/* Return addresses on a stack, told by the symbol table of the program's file. */
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/inject/inject.h"

struct function {
	uint64_t start, end;
	const char *name;
};

static const unsigned char *file;
static uint64_t text_start, text_end; /* of the executable segment, whose file offset is the same */
static struct function *functions;
static size_t n_functions;

static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void read_symbols(const Elf64_Ehdr *h)
{
	const Elf64_Shdr *sections = (const void *)(file + h->e_shoff);

	for (size_t i = 0; i < h->e_shnum; i++) {
		const Elf64_Sym *symbols = (const void *)(file + sections[i].sh_offset);
		size_t n = sections[i].sh_size / sizeof *symbols;
		const char *names = (const char *)file + sections[sections[i].sh_link].sh_offset;

		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		functions = calloc(n, sizeof *functions);
		for (size_t k = 0; functions && k < n; k++)
			if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC && symbols[k].st_size)
				functions[n_functions++] = (struct function){symbols[k].st_value,
					symbols[k].st_value + symbols[k].st_size,
					names + symbols[k].st_name};
	}
	if (functions)
		qsort(functions, n_functions, sizeof *functions, by_start);
}

bool symbols_load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *h;
	const Elf64_Phdr *segments;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	(void)close(fd);
	if (file == MAP_FAILED)
		return false;
	h = (const void *)file;
	segments = (const void *)(file + h->e_phoff);
	for (size_t i = 0; i < h->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X) {
			text_start = segments[i].p_vaddr;
			text_end = text_start + segments[i].p_filesz;
		}
	read_symbols(h);
	return n_functions > 0;
}

uint64_t symbols_entry(void)
{
	return ((const Elf64_Ehdr *)file)->e_entry;
}

/* call rel32, or call through a register or memory. */
static bool follows_call(uint64_t address)
{
	const unsigned char *at = file + address;

	if (at[-5] == 0xe8)
		return true;
	for (int length = 2; length <= 7; length++)
		if (at[-length] == 0xff && (at[1 - length] >> 3 & 7) == 2)
			return true;
	return false;
}

const char *symbols_returns_to(uint64_t address)
{
	size_t low = 0, high = n_functions;

	if (address < text_start + 8 || address >= text_end || !follows_call(address))
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions[middle].end < address)
			low = middle + 1;
		else
			high = middle;
	}
	/* A call of what does not return may be the function's last instruction. */
	return low < n_functions && functions[low].start < address ? functions[low].name : NULL;
}
