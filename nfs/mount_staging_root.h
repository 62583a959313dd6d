/* SPDX-License-Identifier: Apache-2.0 */
/* The staging namespace: an empty private root, and in it the place where mounts are tried. */
#pragma once

/* Where to mount, as seen in there. /proc is there too. */
#define STAGE "/stage"
