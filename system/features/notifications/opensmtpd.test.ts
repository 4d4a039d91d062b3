/**
 * Mails to a mail server that is in use elsewhere: OpenSMTPD, as Debian ships it. Needs root, which
 * it starts with.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { simpleParser } from "mailparser";
import { openTestDesk } from "../../../test/support/desk.ts";
import { PATIENCE_MS } from "../../../test/support/eventually.ts";
import { create, smallRequest } from "../../../test/support/key-requests.ts";
import {
  addMailChannel,
  addPerson,
  deliveriesOf,
  mailEngine,
  wayTo,
} from "../../../test/support/mail-server.ts";
import { call } from "../../../test/support/people.ts";
import { withFolder } from "../../../test/support/processes.ts";
import { deliver } from "../../../test/support/receiver.ts";

/** Addresses of this machine that nobody else listens on. */
const HOST = "127.0.0.77";
const PORT = 2587;

Deno.test("mails: OpenSMTPD takes them, keeps them, and refuses whom it does not know", async () => {
  await withFolder(async (folder) => {
    await Deno.chmod(folder, 0o755);
    const mailbox = join(folder, "mail");
    await Deno.mkdir(mailbox);
    const { success } = await new Deno.Command("chown", { args: ["nobody", mailbox] }).output();
    assert.ok(success);
    const configuration = join(folder, "smtpd.conf");
    await Deno.writeTextFile(
      configuration,
      `table people { "grace" = "nobody" }
listen on ${HOST} port ${PORT}
action "keep" maildir "${mailbox}" alias <people>
match from any for domain "example.org" action "keep"
`,
      { mode: 0o644 },
    );
    const args = ["-d", "-f", configuration];
    const server = new Deno.Command("smtpd", { args, stdout: "null", stderr: "null" }).spawn();
    try {
      await listening();
      await using desk = await openTestDesk("sqlite");
      await addMailChannel(desk);
      await addPerson(desk, "grace@example.org");
      await addPerson(desk, "stranger@example.org");
      const id = await create(desk, smallRequest());
      await deliver(mailEngine(desk, wayTo(`smtp://${HOST}:${PORT}`)));
      const told = await deliveriesOf(desk, id);
      assert.deepEqual(told.map(({ state }) => state).sort(), ["dead", "delivered"]);
      const dead = told.find(({ state }) => state === "dead");
      const { tries } = await call(desk, "GET", `/v1/deliveries/${dead.id}`);
      assert.equal(tries[0].status, 550);
      const kept = await simpleParser(await firstMail(join(mailbox, "new")));
      assert.equal(
        kept.to && "text" in kept.to && kept.to.text.includes("grace@example.org"),
        true,
      );
      assert.match(kept.text ?? "", new RegExp(`/console/requests/${id}`));
    } finally {
      server.kill("SIGTERM");
      await server.status;
    }
  });
});

async function listening(): Promise<void> {
  for (const limit = Date.now() + PATIENCE_MS;;) {
    try {
      (await Deno.connect({ hostname: HOST, port: PORT })).close();
      return;
    } catch {
      assert.ok(Date.now() < limit, "OpenSMTPD listens");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The one mail that a mailbox gets. */
async function firstMail(folder: string): Promise<string> {
  for (const limit = Date.now() + PATIENCE_MS;;) {
    try {
      for await (const { name } of Deno.readDir(folder)) {
        return await Deno.readTextFile(join(folder, name));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    assert.ok(Date.now() < limit, "the mail is kept");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
