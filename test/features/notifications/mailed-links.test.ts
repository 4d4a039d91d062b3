/** Who would be mailed the link of a key, which whoever approves is told before and after. */
import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { create, smallRequest } from "../../support/key-requests.ts";
import {
  addMailChannel,
  mailBy,
  mailEngine,
  mailServer,
  PUBLIC_URL,
} from "../../support/mail-server.ts";
import { v1 } from "../../support/v1-requests.ts";
import { call } from "../../support/people.ts";
import { deliver } from "../../support/receiver.ts";

const EMAIL = "elif@example.org";
const developer = { id: "dev-1", email: EMAIL, fields: { Name: "Elif Yıldız" } };

const mailedTo = async (desk: TestDesk, ids: readonly string[], credential?: string) => {
  const path = `/v1/key-requests/mailed?ids=${ids.join(",")}`;
  return (await call(desk, "GET", path, undefined, credential)).data;
};

testOnEngines(
  "mailed links: told where a mail channel, the settings and a proved address let one be mailed, and then it is",
  async (desk) => {
    await using smtp = await mailServer();
    const id = await create(desk, smallRequest({ by_user: "dev-1", portal_developer: developer }));
    const nobody = await create(desk, smallRequest({ by_user: "dev-nobody" }));
    const ids = [nobody, id];
    const silent = ids.map((one) => ({ id: one, mailed_to: null }));
    assert.deepEqual(await mailedTo(desk, ids), silent, "without a channel");
    const channel = await addMailChannel(desk);
    assert.deepEqual(await mailedTo(desk, ids), silent, "without the server's settings");
    mailBy(desk.app.ctx, `smtp://127.0.0.1:${smtp.port}`);
    Object.assign(desk.app.ctx.settings, { publicUrl: PUBLIC_URL });
    const told = [{ id: nobody, mailed_to: null }, { id, mailed_to: EMAIL }];
    assert.deepEqual(await mailedTo(desk, [...ids, id, "0".repeat(24)]), told);
    const { admin } = await desk.otherOrganisation();
    assert.deepEqual(await mailedTo(desk, ids, admin), []);

    await call(desk, "POST", `/v1/channels/${channel}/pause`);
    assert.deepEqual(await mailedTo(desk, ids), silent, "a paused channel");
    await call(desk, "POST", `/v1/channels/${channel}/resume`);
    const moved = { id: "dev-2", email: "rosa@example.org" };
    const other = await create(desk, smallRequest({ by_user: "dev-2", portal_developer: moved }));
    assert.deepEqual(await mailedTo(desk, [other]), [{ id: other, mailed_to: moved.email }]);
    await call(desk, "PUT", "/v1/developers/dev-2", {
      email: "later@example.org",
      account: "same_person",
    });
    assert.deepEqual(await mailedTo(desk, [other]), [{ id: other, mailed_to: null }]);

    const { one_time_link } = await v1.approve(desk, id, "?deliver=one_time_link");
    await deliver(mailEngine(desk, smtp));
    const mail = smtp.taken.find(({ to }) => to[0] === EMAIL);
    assert.ok(mail?.parsed.text?.includes(one_time_link?.link ?? "none"));
  },
);
