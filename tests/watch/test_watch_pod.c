/* SPDX-License-Identifier: Apache-2.0 */
/* Pods as a real API server gives them, and as somebody might make them. */
#include "mountd/watch_pod.h"

#include <errno.h>

#include "mountd/watch_event.h"
#include "mountd/watch_split.h"
#include "tests/watch/recording.h"

static struct pod pods[16];
static size_t n_pods;

static int on_event(void *data, const char *text, size_t size)
{
	struct event e;

	(void)data;
	cr_assert_eq(event_parse(text, size, &e), 0);
	if (e.kind == EVENT_PUT || e.kind == EVENT_DELETED)
		cr_assert_eq(pod_from_json(e.object, &pods[n_pods++]), 0);
	event_clear(&e);
	return 0;
}

Test(watch_pod, recorded_life)
{
	size_t size;
	char *text = recording("watch-lifecycle", &size);
	struct split *s;

	cr_assert_eq(split_new(SPLIT_EVENTS, 1 << 16, on_event, NULL, &s), 0);
	cr_assert_eq(split_feed(s, text, size), 0);
	cr_assert_eq(n_pods, 10);
	cr_expect_str_eq(pods[0].name, "a9");
	cr_expect_str_eq(pods[0].node, "node-vm");
	cr_expect(pods[0].started);
	cr_expect_eq(pods[0].uid_number, 10001);
	cr_expect_eq(pods[0].n_host, 1);
	cr_expect_not(pods[1].started, "pending, without an address");
	cr_expect(pods[4].started);
	cr_expect_not(pods[4].deleting);
	cr_expect(pods[5].deleting, "the earliest sign");
	cr_expect_not(pods[5].ended);
	cr_expect(pods[6].deleting);
	cr_expect(pods[7].ended);
	cr_expect(pods[8].ended);
	cr_expect_eq(pods[9].version, 762);
	for (size_t i = 0; i < n_pods; i++)
		pod_clear(&pods[i]);
	split_free(s);
	free(text);
}

static struct pod parse(const char *text)
{
	json_t *object = event_load(text, strlen(text));
	struct pod pod;

	cr_assert(object, "%s", text);
	cr_assert_eq(pod_from_json(object, &pod), 0, "%s", text);
	json_decref(object);
	return pod;
}

#define RUNTIME(volume, mount) \
	"{\"metadata\":{\"name\":\"r\",\"namespace\":\"t\",\"uid\":\"u\",\"labels\":{\"kora.dev/" \
	"component\":\"runtime\"}},\"spec\":{\"volumes\":[{\"name\":\"workspaces\"," volume \
	"}],\"containers\":[{\"volumeMounts\":[{\"name\":\"workspaces\",\"mountPath\":" mount \
	"}]}]}}"
#define CLAIM "\"persistentVolumeClaim\":{\"claimName\":\"c\"}"

Test(watch_pod, volumes_and_their_use)
{
	static const struct {
		const char *text;
		enum pod_volume volume;
		enum pod_use use;
	} cases[] = {
		{RUNTIME(CLAIM, "\"/workspaces\",\"mountPropagation\":\"HostToContainer\""),
			VOLUME_CLAIM, USE_PROPAGATING},
		{RUNTIME(CLAIM, "\"/workspaces/\",\"mountPropagation\":\"Bidirectional\""),
			VOLUME_CLAIM, USE_PROPAGATING},
		{RUNTIME(CLAIM, "\"/workspaces\""), VOLUME_CLAIM, USE_PRIVATE},
		{RUNTIME(CLAIM, "\"/workspaces\",\"mountPropagation\":\"None\""), VOLUME_CLAIM,
			USE_PRIVATE},
		{RUNTIME(CLAIM, "\"/elsewhere\",\"mountPropagation\":\"HostToContainer\""),
			VOLUME_CLAIM, USE_NONE},
		{RUNTIME(CLAIM, "\"/workspaces\",\"subPath\":\"x\",\"mountPropagation\":"
				"\"HostToContainer\""),
			VOLUME_CLAIM, USE_SUBPATH},
		{RUNTIME("\"emptyDir\":{}", "\"/workspaces\""), VOLUME_EMPTY_DIR, USE_PRIVATE},
		{RUNTIME("\"hostPath\":{\"path\":\"/\"}", "\"/workspaces\""), VOLUME_UNSUPPORTED,
			USE_PRIVATE},
		{RUNTIME("\"csi\":{}", "\"/workspaces\""), VOLUME_CSI, USE_PRIVATE},
		{RUNTIME("\"ephemeral\":{}", "\"/workspaces\""), VOLUME_CLAIM, USE_PRIVATE},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pod pod = parse(cases[i].text);

		cr_expect_eq(pod.volume, cases[i].volume, "%s", cases[i].text);
		cr_expect_eq(pod.use, cases[i].use, "%s", cases[i].text);
		if (strstr(cases[i].text, "ephemeral"))
			cr_expect_str_eq(pod.claim, "r-workspaces");
		pod_clear(&pod);
	}
}

Test(watch_pod, what_is_no_pod)
{
	static const char *const texts[] = {"{}", "{\"metadata\":7}",
		"{\"metadata\":{\"name\":\"x\"}}",
		"{\"metadata\":{\"name\":\"x\",\"namespace\":\"y\",\"uid\":7}}",
		"{\"metadata\":{\"name\":\"\",\"namespace\":\"y\",\"uid\":\"z\"}}"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		json_t *object = event_load(texts[i], strlen(texts[i]));
		struct pod pod;

		cr_expect_eq(pod_from_json(object, &pod), -EBADMSG, "%s", texts[i]);
		json_decref(object);
	}
}

Test(watch_pod, nul_in_a_message_hides_nothing)
{
	struct pod pod = parse("{\"metadata\":{\"name\":\"x\",\"namespace\":\"y\",\"uid\":\"z\"},"
			       "\"status\":{\"message\":\"a\\u0000b\",\"phase\":\"Failed\"}}");

	cr_expect(pod.ended);
	pod_clear(&pod);
}
