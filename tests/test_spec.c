/* SPDX-License-Identifier: Apache-2.0 */
/* Specs: what is taken, what is refused and with which key, and the way back to JSON. */
#include "mountd/spec.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT_HEAD "{\"kind\":\"export\",\"run\":\"demo\",\"incarnation\":\"i1\","
#define EXPORT_TAIL "\"volume\":\"/srv\",\"clients\":[\"10.0.0.2\"],\"uid\":1,\"gid\":2"
#define MOUNT_HEAD  "{\"kind\":\"mount\",\"run\":\"demo\",\"incarnation\":\"i1\","
#define MOUNT_TAIL  "\"volume\":\"/srv\",\"uid\":1,\"gid\":2"

static int parse(const char *text, struct spec *ret, struct spec_fault *fault)
{
	return spec_parse(text, strlen(text), ret, fault);
}

Test(spec, export_with_all_keys)
{
	struct spec s;
	struct spec_fault f;

	cr_assert_eq(parse("{\"kind\":\"export\",\"run\":\"demo\",\"incarnation\":\"i1\","
			   "\"volume\":\"/srv/sandboxes\",\"folder\":\"a/b\","
			   "\"clients\":[\"fd20::2\",\"10.20.0.2\",\"::ffff:10.20.0.2\"],"
			   "\"uid\":10001,\"gid\":10002,\"sync\":true}",
			     &s, &f),
		0);
	cr_expect_eq(s.role, ROLE_EXPORT);
	cr_expect_str_eq(s.export.id.run, "demo");
	cr_expect_str_eq(s.export.id.incarnation, "i1");
	cr_expect_str_eq(s.export.volume, "/srv/sandboxes");
	cr_expect_str_eq(s.export.folder, "a/b");
	cr_expect_eq(s.export.n_clients, 2, "one address written twice counts once");
	cr_expect_lt(addr_compare(&s.export.clients[0], &s.export.clients[1]), 0);
	cr_expect_eq(s.export.uid, 10001);
	cr_expect_eq(s.export.gid, 10002);
	cr_expect(s.export.sync);
	spec_clear(&s);
}

Test(spec, defaults)
{
	struct spec s;
	struct spec_fault f;

	cr_assert_eq(parse(EXPORT_HEAD EXPORT_TAIL "}", &s, &f), 0);
	cr_expect_str_eq(s.export.folder, ".");
	cr_expect_not(s.export.sync);
	spec_clear(&s);
	cr_assert_eq(parse(MOUNT_HEAD "\"server\":\"10.0.0.1\"," MOUNT_TAIL "}", &s, &f), 0);
	cr_expect_eq(s.role, ROLE_MOUNT);
	cr_expect_eq(s.mount.kind, MOUNT_NFS);
	cr_expect_eq(s.mount.port, 20490);
	spec_clear(&s);
}

struct refusal {
	const char *text;
	const char *field;
	const char *why; /* part of the message */
};

static const struct refusal refusals[] = {
	{"", "", "empty"},
	{" \n", "", "empty"},
	{"[]", "", "not a JSON object"},
	{"3", "", ""},
	{"{", "", "line 1"},
	{EXPORT_HEAD, "", "line 1"},
	{EXPORT_HEAD EXPORT_TAIL "} x", "", "end of file"},
	{EXPORT_HEAD EXPORT_TAIL ",\"run\":\"x\"}", "", "duplicate"},
	{"{}", "kind", "missing"},
	{"{\"kind\":\"nfs\"}", "kind", "none of"},
	{"{\"kind\":1}", "kind", "not a text"},
	{"{\"kind\":\"export\"}", "run", "missing"},
	{"{\"kind\":\"export\",\"run\":\"Demo\"}", "run", "DNS-1123"},
	{"{\"kind\":\"export\",\"run\":\"\"}", "run", "DNS-1123"},
	{"{\"kind\":\"export\",\"run\":\"-a\"}", "run", "DNS-1123"},
	{"{\"kind\":\"export\",\"run\":\"a/../b\"}", "run", "DNS-1123"},
	{"{\"kind\":\"export\",\"run\":\"a\\nb\"}", "run", "DNS-1123"},
	{"{\"kind\":\"export\",\"run\":\"a\\u0000b\"}", "", ""},
	{"{\"kind\":\"export\",\"run\":\"a\"}", "incarnation", "missing"},
	{EXPORT_HEAD "\"volume\":\"srv\"}", "volume", ""},
	{EXPORT_HEAD "\"volume\":\"/srv/../etc\"}", "volume", ""},
	{EXPORT_HEAD "\"volume\":\"/srv\\n\"}", "volume", ""},
	{EXPORT_HEAD "\"volume\":\"/s\",\"folder\":\"/etc\"}", "folder", ""},
	{EXPORT_HEAD "\"volume\":\"/s\",\"folder\":\"../x\"}", "folder", ""},
	{EXPORT_HEAD "\"volume\":\"/s\",\"folder\":\"\"}", "folder", ""},
	{EXPORT_HEAD "\"volume\":\"/s\"}", "clients", "missing"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[]}", "clients", "1 to 64"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":\"10.0.0.1\"}", "clients", "1 to 64"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\",7]}", "clients[1]", "IPv4"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.0/8\"]}", "clients[0]", "IPv4"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"0.0.0.0\"]}", "clients[0]", "single host"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"node-7\"]}", "clients[0]", "IPv4"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\"],\"gid\":1}", "uid", "missing"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\"],\"uid\":0}", "uid", "from 1"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\"],\"uid\":-1}", "uid", "from 1"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\"],\"uid\":4294967295}", "uid", ""},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\"],\"uid\":1.0}", "uid", "whole"},
	{EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\"],\"uid\":\"1\"}", "uid", "whole"},
	{EXPORT_HEAD EXPORT_TAIL ",\"sync\":1}", "sync", "neither"},
	{EXPORT_HEAD EXPORT_TAIL ",\"server\":\"10.0.0.1\"}", "server", "unknown key"},
	{EXPORT_HEAD EXPORT_TAIL ",\"a\\nb\":1}", "a\nb", "unknown key"},
	{MOUNT_HEAD MOUNT_TAIL "}", "server", "missing"},
	{MOUNT_HEAD "\"server\":\"10.0.0.1\",\"port\":0}", "port", "from 1 to 65535"},
	{MOUNT_HEAD "\"server\":\"10.0.0.1\",\"port\":65536}", "port", "from 1 to 65535"},
	{MOUNT_HEAD "\"server\":\"fe80::1\"}", "server", "single host"},
	{MOUNT_HEAD "\"server\":\"10.0.0.1\"," MOUNT_TAIL ",\"source_volume\":\"/x\"}",
		"source_volume", "unknown key"},
	{"{\"kind\":\"bind\",\"run\":\"demo\",\"incarnation\":\"i\"," MOUNT_TAIL "}",
		"source_volume", "missing"},
};

Test(spec, refused_with_its_key)
{
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct refusal *r = &refusals[i];
		struct spec s = {.role = (enum role)77};
		struct spec_fault f = {0};

		cr_expect_eq(parse(r->text, &s, &f), -EINVAL, "%s", r->text);
		cr_expect_str_eq(f.field, r->field, "%s: %s (%s)", r->text, f.field, f.message);
		cr_expect(strstr(f.message, r->why), "%s: %s", r->text, f.message);
		cr_expect_eq((int)s.role, 77, "the output is touched on failure");
	}
}

Test(spec, four_thousand_characters)
{
	char text[8192], path[4200];
	struct spec s;
	struct spec_fault f;

	memset(path, 'a', sizeof path);
	path[0] = '/';
	path[sizeof path - 1] = '\0';
	(void)snprintf(text, sizeof text, "%s\"volume\":\"%s\"}", EXPORT_HEAD, path);
	cr_expect_eq(parse(text, &s, &f), -EINVAL);
	cr_expect_str_eq(f.field, "volume");
	path[4000] = '\0';
	(void)snprintf(text, sizeof text, "{\"kind\":\"export\",\"run\":\"%s\"}", path + 1);
	cr_expect_eq(parse(text, &s, &f), -EINVAL);
	cr_expect_str_eq(f.field, "run");
}

Test(spec, too_many_clients)
{
	char text[4096] = EXPORT_HEAD "\"volume\":\"/s\",\"clients\":[\"10.0.0.1\"";
	struct spec s;
	struct spec_fault f;

	for (int i = 0; i < EXPORT_CLIENTS_MAX; i++)
		strcat(text, ",\"10.0.0.2\"");
	strcat(text, "],\"uid\":1,\"gid\":1}");
	cr_expect_eq(parse(text, &s, &f), -EINVAL);
	cr_expect_str_eq(f.field, "clients");
}

Test(spec, longer_than_a_packet)
{
	char *text = calloc(1, SPEC_SIZE_MAX + 2);
	struct spec s;
	struct spec_fault f;

	memset(text, ' ', SPEC_SIZE_MAX + 1);
	cr_expect_eq(spec_parse(text, SPEC_SIZE_MAX + 1, &s, &f), -EINVAL);
	cr_expect(strstr(f.message, "longer than"));
	free(text);
}

static const char *there_and_back[] = {
	EXPORT_HEAD EXPORT_TAIL "}",
	EXPORT_HEAD EXPORT_TAIL ",\"folder\":\"x/y\",\"sync\":true}",
	MOUNT_HEAD "\"server\":\"10.0.0.1\"," MOUNT_TAIL "}",
	MOUNT_HEAD "\"server\":\"fd20::1\",\"port\":7," MOUNT_TAIL "}",
	"{\"kind\":\"bind\",\"run\":\"demo\",\"incarnation\":\"i1\",\"source_volume\":\"/a\","
	"\"source_folder\":\"b\"," MOUNT_TAIL "}",
};

Test(spec, there_and_back)
{
	for (size_t i = 0; i < sizeof there_and_back / sizeof *there_and_back; i++) {
		struct spec one, two, copy;
		struct spec_fault f;
		json_t *object;

		cr_assert_eq(parse(there_and_back[i], &one, &f), 0, "%s", f.message);
		object = spec_to_json(&one);
		cr_assert_eq(spec_from_json(object, &two, &f), 0, "%s: %s", f.field, f.message);
		cr_expect(spec_equal(&one, &two), "%s", there_and_back[i]);
		cr_assert_eq(spec_copy(&one, &copy), 0);
		spec_clear(&one);
		cr_expect(spec_equal(&copy, &two));
		json_decref(object);
		spec_clear(&two);
		spec_clear(&copy);
	}
}

Test(spec, fault_in_words)
{
	struct spec_fault f = {.field = "uid", .message = "missing"};
	char text[64];

	spec_fault_format(&f, text, sizeof text);
	cr_expect_str_eq(text, "uid: missing");
	f.field[0] = '\0';
	spec_fault_format(&f, text, sizeof text);
	cr_expect_str_eq(text, "missing");
}
