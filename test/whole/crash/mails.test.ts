/**
 * A server that is killed amid mails: each of its people gets each mail, and what comes twice is
 * told by its id.
 */
import assert from "node:assert/strict";
import { effort } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { smallRequest } from "../../support/key-requests.ts";
import { mailServer } from "../../support/mail-server.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";

const REQUESTS = 20 * effort;
const PEOPLE = 3;
const KILLS = effort;

Deno.test("mails: a server that is killed amid them mails everybody everything", async () => {
  await withFolder(async (dataDir) => {
    await using smtp = await mailServer();
    const environment = {
      KEYDESK_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      KEYDESK_MAIL_FROM: "keys@example.org",
      KEYDESK_PUBLIC_URL: "https://desk.example.org",
    };
    let server: ServerProcess = await startServerProcess({ dataDir, environment });
    try {
      const sent = async (path: string, body: unknown) => {
        const answer = await server.send("POST", path, { body });
        assert.equal(answer.status, 200);
        return answer.body;
      };
      const mail = { digest_minutes: 0, per_hour: 1000 };
      await sent("/v1/channels", { kind: "mail", name: "Mail", mail });
      for (let n = 0; n < PEOPLE; n++) {
        const person = { name: "Grace", permissions: ["approve"], email: `p${n}@example.org` };
        await sent("/v1/people", person);
      }
      // Each mail tells of what waits for its person, so each request is found in some mail to each
      // of them.
      const ids: string[] = [];
      for (let n = 0; n < REQUESTS; n++) {
        ids.push((await sent("/api/portal/requests", smallRequest())).Message);
      }
      let kills = 0;
      let restarting: Promise<void> | undefined;
      const restart = async () => {
        server.kill("SIGKILL");
        await server.ended;
        server = await startServerProcess({ dataDir, environment });
        restarting = undefined;
      };
      // Amid a mail, which is taken all the same: nobody tells the server any more.
      smtp.takes = async () => {
        if (restarting === undefined && kills < KILLS) {
          kills++;
          restarting = restart();
        }
        await restarting;
        return 0;
      };
      const missing = () =>
        Array.from({ length: PEOPLE }, (_, n) => `p${n}@example.org`).flatMap((address) => {
          const texts = smtp.taken.filter(({ to }) => to.includes(address))
            .map(({ parsed }) => parsed.text ?? "").join("\n");
          return ids.filter((id) => !texts.includes(id)).map((id) => `${address} ${id}`);
        });
      const isOver = () => kills >= KILLS && missing().length === 0;
      await eventually("all kills, and each mail of each person", isOver, 200);
      for (const { to } of smtp.taken) assert.equal(to.length, 1);
      const distinct = new Set(smtp.taken.map(({ parsed }) => parsed.messageId));
      await restarting;
      console.log(
        `kills ${kills}, mails ${smtp.taken.length}, distinct ${distinct.size}, missing 0`,
      );
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});
