/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest program to start: what is left of the time is the start itself. */
int main(void)
{
	return 0;
}
