/** What the endpoints of channels and deliveries refuse. */
import assert from "node:assert/strict";
import { create, smallRequest } from "../../support/key-requests.ts";
import { call } from "../../support/people.ts";
import { addChannel, deliver, engineOf, receiver } from "../../support/receiver.ts";
import { absent, denied, invalid, testRefusals } from "../../support/refusals.ts";

const CHANNELS = "/v1/channels";

/** Plain http is for this machine alone, and no URL names somebody. */
const urls = [
  "https://user@portal.example.org/",
  "https://:p@a.example/",
  "portal",
  "http://a/",
  "",
  "http://portal.example.org/",
  "ftp://127.0.0.1/",
  "https://me:pass@portal.example.org/",
  "javascript:alert(1)",
  "http://127.0.0.1.example.org/",
  `https://a.example/${"\u00e9".repeat(400)}`,
];
const wanted =
  "url: expected an https:// URL without a user name; http:// is for this machine alone";

testRefusals("channels and deliveries", async (desk) => {
  await using portal = receiver();
  const { id } = await addChannel(desk, portal);
  await create(desk, smallRequest());
  await deliver(engineOf(desk));
  const delivery = portal.taken[0]?.id ?? "";
  const { admin: other } = await desk.otherOrganisation();
  assert.deepEqual((await call(desk, "GET", "/v1/deliveries", undefined, other)).data, []);
  const callsOf = (channel: string, one: string) =>
    [
      ["GET", `${CHANNELS}/${channel}`],
      ["DELETE", `${CHANNELS}/${channel}`],
      ["POST", `${CHANNELS}/${channel}/pause`],
      ["POST", `${CHANNELS}/${channel}/resume`],
      ["POST", `${CHANNELS}/${channel}/now`],
      ["POST", `${CHANNELS}/${channel}/rotate`],
      ["POST", `${CHANNELS}/${channel}/test`],
      ["GET", `/v1/deliveries/${one}`],
      ["POST", `/v1/deliveries/${one}/replay`],
    ] as const;
  const topics = {
    name: "Portal",
    url: "https://portal.example.org/",
    topics: ["key_request.*", "key_request.aproved"],
  };
  const nearest = "topics[1]: no topic fits; the nearest is key_request.approved";
  const slips = { words: { changd: "x" }, mails: { "key_request.aproved": {} } };
  const nothing = "0".repeat(24);
  const rows = [
    ...urls.map((url) =>
      invalid(`the URL ${url.slice(0, 40)}`, ["POST", CHANNELS, { name: "n", url }], wanted)
    ),
    invalid("a topic that there is not", ["POST", CHANNELS, topics], nearest),
    invalid("change: a topic that there is not", ["PUT", `${CHANNELS}/${id}`, topics], nearest),
    invalid(
      "a word and a mail that there is not",
      ["POST", CHANNELS, { kind: "mail", name: "Mail", mail: slips }],
      'unknown member "mail.words.changd"; did you mean "changed"?',
      'unknown member "mail.mails.key_request.aproved"; did you mean "key_request.approved"?',
    ),
    ...callsOf(id, delivery).map((one) => absent(one, other)),
    ...callsOf(nothing, nothing).map((one) => absent(one)),
    absent(
      ["POST", "/v1/deliveries/replay", { channel_id: id, after: "2020-01-01T00:00:00Z" }],
      other,
    ),
    denied(["POST", `${CHANNELS}/${id}/test`], "portal:write"),
    denied(["GET", "/v1/deliveries/counts"], "portal:write"),
    denied(["GET", "/v1/key-requests/mailed?ids=a"], "portal:read"),
    invalid("no key request", ["GET", "/v1/key-requests/mailed?ids="], "ids: expected at least 1"),
  ];
  const unchanged = () =>
    Promise.all([CHANNELS, "/v1/deliveries"].map((path) => call(desk, "GET", path)));
  return { rows, unchanged };
});
