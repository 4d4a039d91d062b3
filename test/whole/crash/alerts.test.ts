/**
 * A server that is killed amid its alerts tells of each certificate once, by webhook and by mail.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { asn1Time, made } from "../../support/certificates.ts";
import { effort } from "../../support/effort.ts";
import { eventually } from "../../support/eventually.ts";
import { mailServer } from "../../support/mail-server.ts";
import { type ServerProcess, startServerProcess, withFolder } from "../../support/processes.ts";
import { receiver } from "../../support/receiver.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** Two batches of one transaction each. */
const CERTIFICATES = 200 * effort;
const KILLS = 2 * effort;
const OWNED = 5;
/** The rule that is told, and what its certificates have left. */
const RULE = 7;
const LEFT = 5;

Deno.test("alerts: a server that is killed amid them tells of each certificate once", async () => {
  await withFolder(async (dataDir) => {
    await using portal = receiver();
    await using smtp = await mailServer();
    const environment = {
      KEYDESK_OUTBOUND: portal.host,
      KEYDESK_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      KEYDESK_MAIL_FROM: "keys@example.org",
      KEYDESK_PUBLIC_URL: "https://desk.example.org",
    };
    const start = () => startServerProcess({ dataDir, environment });
    const file = join(dataDir, "keydesk.db");
    let server: ServerProcess = await start();
    try {
      const sent = async (method: string, path: string, body?: unknown) => {
        const answer = await server.send(method, path, body === undefined ? {} : { body });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        return answer.body;
      };
      const topics = ["certificate.expires_soon"];
      await sent("POST", "/v1/channels", { name: "Portal", url: portal.url, topics });
      await sent("POST", "/v1/channels", { kind: "mail", name: "Mail", topics });
      await eventually("alerts have begun", () => count(file, "alert_progress") > 1);
      const ids = await addCertificates(server);
      for (const id of ids.slice(0, OWNED)) {
        await sent("PUT", `/v1/certificates/${id}`, { owner: `o-${id.slice(-6)}@example.org` });
      }
      await end(server, "SIGTERM");
      // As it would be for a node that was away while they came within the rule.
      change(
        file,
        `update alert_progress set ends_at = '2020-01-01T00:00:00Z' where days = ${RULE}`,
      );
      // The right of the one that was stopped would keep the next from its first look.
      change(file, "update alert_lease set until = '2020-01-01T00:00:00.000Z'");
      server = await start();
      let kills = 0;
      for (let seen = 0; kills < KILLS && seen < CERTIFICATES; kills++) {
        await eventually("more is told", () => count(file, "alerts") > seen);
        await end(server, "SIGKILL");
        seen = count(file, "alerts");
        // The dead node's rights, as they are when their time is over.
        change(file, "update alert_lease set until = '2020-01-01T00:00:00.000Z'");
        change(
          file,
          `update deliveries set due_at = '2020-01-01T00:00:00.000Z'
            where state = 'waiting' and holder <> ''`,
        );
        server = await start();
      }
      await eventually(
        "everything is told",
        () => portal.taken.length >= CERTIFICATES && smtp.taken.length >= OWNED,
      );
      await eventually(
        "nothing waits",
        () => count(file, "deliveries where state = 'waiting'") === 0,
      );
      const told = new Map<string, Set<string>>();
      for (const { id, json } of portal.taken) {
        assert.equal(json.data.detail.days, RULE);
        assert.match(json.data.detail.ends_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        told.set(json.data.id, (told.get(json.data.id) ?? new Set()).add(id));
      }
      const twice = [...told.values()].filter((messages) => messages.size !== 1).length;
      const mails = new Set(smtp.taken.map(({ parsed }) => parsed.messageId));
      console.log(
        `kills ${kills}, certificates ${CERTIFICATES}, told ${told.size}, told twice ${twice}, ` +
          `owners mailed ${mails.size}`,
      );
      assert.deepEqual([...told.keys()].toSorted(), ids.toSorted());
      assert.equal(twice, 0);
      assert.equal(mails.size, OWNED);
      for (const { parsed } of smtp.taken) assert.match(parsed.text ?? "", /Days left: 5\./);
      const why = (id: string | undefined) => sent("GET", `/v1/certificates/${id}/alerts`);
      const owned = await why(ids[0]);
      assert.equal(owned.result, "notified");
      assert.equal(owned.channels.length, 2);
      const lone = await why(ids[OWNED]);
      assert.equal(lone.result, "notified");
      assert.match(lone.rules[2].says, /Mail has no recipient/);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});

/** Adds certificates in one upload; gives their ids. */
async function addCertificates(server: ServerProcess): Promise<string[]> {
  const to = asn1Time(Date.now() + LEFT * DAY_MS - DAY_MS / 24);
  const pem = Array.from(
    { length: CERTIFICATES },
    (_, n) => made({ cn: `c${n}.example`, to, serial: String(n + 1000) }),
  ).join("");
  const response = await fetch(`${server.url}/v1/certificates`, {
    method: "POST",
    headers: { authorization: server.credential },
    body: pem,
  });
  // as: the answer of POST /v1/certificates.
  const { results } = await response.json() as { results: { id: string }[] };
  return results.map(({ id }) => id);
}

async function end(server: ServerProcess, signal: Deno.Signal): Promise<void> {
  server.kill(signal);
  await server.ended;
  await server[Symbol.asyncDispose]();
}

function count(file: string, rows: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare(`select count(*) as n from ${rows}`).get()?.n);
  } finally {
    db.close();
  }
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}
