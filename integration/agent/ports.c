/* SPDX-License-Identifier: Apache-2.0 */
/* The virtio-serial ports that the host gave this machine. */
#include "ports.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "proto.h"

int find_ports(char paths[][PORT_PATH_SIZE])
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)) && n < PORTS_MAX) {
		char name[PORT_PATH_SIZE], text[64] = "";
		FILE *file;

		(void)snprintf(
			name, sizeof(name), "/sys/class/virtio-ports/%.200s/name", entry->d_name);
		file = fopen(name, "re");
		if (!file)
			continue;
		if (fgets(text, sizeof(text), file) &&
			strncmp(text, PORT_NAME_PREFIX, strlen(PORT_NAME_PREFIX)) == 0)
			(void)snprintf(paths[n++], sizeof(paths[0]), "/dev/%.200s", entry->d_name);
		(void)fclose(file);
	}
	if (dir)
		(void)closedir(dir);
	return n;
}
