# SPDX-License-Identifier: Apache-2.0
# inotify does not see what the other node changes: the promises say so.
# shape: netns
grep -q inotify "$top/docs/promises.md" || fail "docs/promises.md has no word of inotify"
