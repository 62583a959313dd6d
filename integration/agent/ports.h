/* SPDX-License-Identifier: Apache-2.0 */
/* The virtio-serial ports that the host gave this machine. */
#pragma once

#define PORTS_MAX      32
#define PORT_PATH_SIZE 280

/* Device files of the ports with the host's names; how many, at most PORTS_MAX. */
int find_ports(char paths[][PORT_PATH_SIZE]);
