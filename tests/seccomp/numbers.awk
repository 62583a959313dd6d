# SPDX-License-Identifier: Apache-2.0
# From syscalls.inc to a C program that compares its numbers with those of the compiler's headers.
BEGIN {
	print "#include <asm/unistd.h>\n#include <stdio.h>\n"
	print "static unsigned passed, failed;\n"
	print "static void same(const char *name, int ours, int theirs)\n{"
	print "\tif (ours == theirs)\n\t\tpassed++;"
	print "\telse\n\t\tfailed += !!printf(\"FAIL %s is %d, not %d\\n\", name, theirs, ours);\n}\n"
	print "int main(void)\n{"
}
/^S\(/ {
	split(substr($0, 3), f, /, */)
	printf "#ifdef __NR_%s\n\tsame(\"%s\", %s, __NR_%s);\n#endif\n", f[1], f[1], \
		f[column] == "NONE" ? -1 : f[column], f[1]
}
END {
	print "\tprintf(\"%u passed, %u failed\\n\", passed, failed);\n\treturn failed != 0;\n}"
}
