/** Times: RFC 3339 in, given back as they came, sorted by their instant. */
import assert from "node:assert/strict";
import { assertInvalid } from "../support/answers.ts";
import { DEVELOPERS, pathTo, readDeveloper, register, succeed } from "../support/companions.ts";
import { testOnEngines } from "../support/desk.ts";
import { createAndRead, REQUESTS, smallRequest } from "../support/key-requests.ts";

const WRONG = "expected an RFC 3339 time such as 2026-01-31T09:00:00Z";

testOnEngines("times: a time with Z is given back exactly as it came", async (desk) => {
  const times = [
    "2026-01-31T09:00:00Z",
    "2026-01-31T09:00:00.0Z",
    "2026-01-31T09:00:00.100Z",
    "2026-01-31T09:00:00.123456789Z",
    "2024-02-29T23:59:59.9Z",
    "0001-01-01T00:00:00.1Z",
    "9999-12-31T23:59:59.999999999Z",
  ];
  for (const time of times) {
    const shown = await createAndRead(
      desk,
      smallRequest({
        date_created: time,
        by_user: `dev ${time}`,
        portal_developer: {
          id: `dev ${time}`,
          date_created: time,
          password_updated: time,
          last_login_date: time,
          oauth_clients: { p: [{ date_created: time }] },
        },
      }),
    );
    const { date_created, password_updated, last_login_date, oauth_clients } =
      shown.portal_developer;
    const all = [
      date_created,
      password_updated,
      last_login_date,
      oauth_clients?.p?.[0]?.date_created,
    ];
    assert.deepEqual([shown.date_created, ...all], Array(5).fill(time));
  }
});

testOnEngines("times: Go's zero time says nothing, wherever one is sent", async (desk) => {
  for (const zero of ["0001-01-01T00:00:00Z", "0001-01-01T02:00:00.000+02:00"]) {
    const request = await createAndRead(desk, smallRequest({ date_created: zero }));
    assert.match(request.date_created, /^20/);
    const path = `${REQUESTS}/${request.id}`;
    await succeed(desk, "PUT", path, { body: smallRequest({ date_created: zero }) });
    const after = await succeed<{ date_created: string }>(desk, "GET", path);
    assert.equal(after.date_created, request.date_created);

    const times = { date_created: zero, password_updated: zero, last_login_date: zero };
    const id = await register(desk, { ...times, password: "a long sentence" });
    const before = await readDeveloper(desk, id);
    assert.match(before.date_created, /^20/);
    assert.match(before.password_updated, /^20/);
    await succeed(desk, "PUT", pathTo(DEVELOPERS, id), { body: { ...before, ...times } });
    assert.deepEqual(await readDeveloper(desk, id), before);
    await succeed(desk, "DELETE", pathTo(DEVELOPERS, id));
  }
});

testOnEngines("times: another offset is turned into Z with its fraction kept", async (desk) => {
  const times = [
    ["2026-01-31T09:00:00+00:00", "2026-01-31T09:00:00Z"],
    ["2026-01-31T09:00:00.10-00:00", "2026-01-31T09:00:00.10Z"],
    ["2026-01-31T09:00:00.123456789+02:00", "2026-01-31T07:00:00.123456789Z"],
    ["2026-12-31T23:30:00.5-01:45", "2027-01-01T01:15:00.5Z"],
    ["2024-03-01T00:00:00+00:01", "2024-02-29T23:59:00Z"],
    ["2026-01-01T00:00:00+23:59", "2025-12-31T00:01:00Z"],
  ];
  for (const [sent, shown] of times) {
    assert.equal(
      (await createAndRead(desk, smallRequest({ date_created: sent }))).date_created,
      shown,
    );
  }
});

testOnEngines("times: what is no RFC 3339 time is refused", async (desk) => {
  const times = [
    "",
    "now",
    "2026-01-31",
    "2026-01-31T09:00Z",
    "2026-01-31T09:00:00",
    "2026-01-31 09:00:00Z",
    "2026-02-30T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T09:60:00Z",
    "2026-01-31T09:00:00.Z",
    "2026-01-31T09:00:00,5Z",
    "2026-01-31T09:00:00.1234567890Z",
    "2026-01-31T09:00:00+24:00",
    "2026-01-31T09:00:00+02",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "12026-01-31T09:00:00Z",
    "-026-01-31T09:00:00Z",
    "2026-01-31T09:00:00Z\n",
    " 2026-01-31T09:00:00Z",
    "٢٠٢٦-01-31T09:00:00Z",
  ];
  for (const date_created of times) {
    const body = smallRequest({ date_created });
    await assertInvalid(await desk.send("POST", REQUESTS, { body }), `date_created: ${WRONG}`);
  }
  const body = smallRequest({ portal_developer: { id: "dev-ada", last_login_date: "yesterday" } });
  const response = await desk.send("POST", REQUESTS, { body });
  await assertInvalid(response, `portal_developer.last_login_date: ${WRONG}`);
  const number = await desk.send("POST", REQUESTS, {
    body: smallRequest({ date_created: 1769850000 }),
  });
  await assertInvalid(number, "date_created: expected a string");
});

const clock = { now: () => Date.parse("2026-03-04T05:06:07.089Z") };

testOnEngines(
  "times: ours are UTC with milliseconds, and the id tells the second",
  async (desk) => {
    const { date_created, id } = await createAndRead(desk, smallRequest());
    assert.equal(date_created, "2026-03-04T05:06:07.089Z");
    assert.equal(parseInt(id.slice(0, 8), 16), Math.floor(clock.now() / 1000));
  },
  { clock },
);
