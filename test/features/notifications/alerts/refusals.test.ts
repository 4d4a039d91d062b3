/** What the endpoints of alerts, mutes and the care of certificates refuse. */
import { add, asn1Time, made } from "../../../support/certificates.ts";
import { issue, movableClock, readKey } from "../../../support/keys.ts";
import { call } from "../../../support/people.ts";
import { absent, invalid, testRefusals } from "../../../support/refusals.ts";

const SETTINGS = "/v1/settings/alerts";
const clock = movableClock();

testRefusals("alerts", async (desk) => {
  const to = asn1Time(clock.at + 90 * 24 * 60 * 60 * 1000);
  const id = await add(desk, made({ cn: "ends.example", to }));
  const { key_id } = await issue(desk);
  const { admin: other } = await desk.otherOrganisation();
  const certificate = `/v1/certificates/${id}`;
  const key = `/v1/keys/${key_id}`;
  const until = "2036-01-01T00:00:00Z";
  const mute = (body: unknown) => ["PUT", `${certificate}/mute`, body] as const;
  const set = (body: unknown) => ["PUT", SETTINGS, body] as const;
  const care = (body: unknown) => ["PUT", certificate, body] as const;
  const gone = "certificate_not_found";
  const rows = [
    invalid("mute: no end", mute({ reason: "x" }), "until: expected a string"),
    invalid("mute: no reason", mute({ until }), "reason: expected a string"),
    invalid(
      "mute: an end that is over",
      mute({ until: "2020-01-01T00:00:00Z", reason: "x" }),
      "until: expected a time to come",
    ),
    invalid(
      "settings: no days before",
      set({ days: [0], at_end: true }),
      "days[0]: expected at least 1",
    ),
    invalid(
      "settings: not whether at the end",
      set({ days: [1] }),
      "at_end: expected true or false",
    ),
    invalid(
      "settings: 400 days before",
      set({ days: [400], at_end: true }),
      "days[0]: expected at most 365",
    ),
    invalid(
      "care: an owner without an address",
      care({ owner: "lena" }),
      "owner: expected an e-mail address, or an empty text",
    ),
    invalid("care: eleven tags", care({ tags: Array(11).fill("x") }), "tags: expected at most 10"),
    invalid(
      "care: a tag of 51",
      care({ tags: ["x".repeat(51)] }),
      "tags[0]: expected at most 50 characters",
    ),
    invalid(
      "care: a misspelt member",
      care({ owners: "" }),
      'unknown member "owners"; did you mean "owner"?',
    ),
    absent(["GET", `${certificate}/alerts`], other, gone),
    absent(["PUT", `${certificate}/mute`, { until, reason: "x" }], other, gone),
    absent(["DELETE", `${certificate}/mute`], other, gone),
    absent(["PUT", certificate, {}], other, gone),
    absent(["GET", `${key}/alerts`], other),
    absent(["PUT", `${key}/mute`, { until, reason: "x" }], other),
    absent(["DELETE", `${key}/mute`], other),
  ];
  const unchanged = async () => [
    await readKey(desk, key_id),
    await call(desk, "GET", certificate),
    await call(desk, "GET", SETTINGS),
  ];
  return { rows, unchanged };
}, { clock });
