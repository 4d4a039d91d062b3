/**
 * Mails on the wire, to a real SMTP server: TLS, what it refuses, and a server that says nothing.
 */
import assert from "node:assert/strict";
import { handOver } from "../../../src/features/notifications/smtp.ts";
import type { MailServer } from "../../../src/kernel/outbound/mail-server.ts";
import { openOutbound } from "../../../src/kernel/outbound/open-outbound.ts";
import { OutboundDenied } from "../../../src/kernel/outbound/outbound.ts";
import { parseSmtpUrl } from "../../../src/kernel/outbound/smtp-url.ts";
import { problemOfAddress } from "../../../src/kernel/mail-address.ts";
import { mailServer, wayTo } from "../../support/mail-server.ts";
import { makeCertificates } from "../../support/postgres-tls.ts";
import { withFolder } from "../../support/processes.ts";

const mail = {
  id: "6a5f0c1d2e3f4a5b6c7d8e9f1f0e2d3c4b5a6978",
  subject: "Grüße",
  language: "en",
  text: "Text\n.\nmore\n",
  html: "<p>Text</p>",
  unknown: [],
  replyTo: "",
  from: { name: "The desk", address: "keys@example.org" },
  to: { name: "Elif, Yıldız <x@example.org>", address: "elif@example.org" },
};

/** As a server elsewhere is treated. */
const elsewhere = { trustsLoopback: false };

Deno.test("smtp: TLS is demanded, with a certificate that is trusted, before a word of the mail or a password goes out", async () => {
  await withFolder(async (folder) => {
    const certificates = await makeCertificates(folder);
    const read = (name: string) => Deno.readTextFile(`${folder}/${name}`);
    const ca = await read("ca.pem");
    const pairOf = async (name: string) => ({
      cert: await read(`${name}.pem`),
      key: await read(`${name}.key`),
    });
    assert.ok(certificates.folder);
    const heard: string[] = [];
    const onAuth = (auth: { username?: string; password?: string }, _: unknown, done: Done) => {
      heard.push(`${auth.username}:${auth.password}`);
      done(null, { user: auth.username });
    };
    const to = (port: number, more: Partial<MailServer>, scheme = "smtp") =>
      handOver(wayTo(`${scheme}://me:p%40ss@127.0.0.1:${port}`, more), mail);
    // deno-lint-ignore no-explicit-any -- the package's own callbacks
    const servers = { onAuth: onAuth as any, authOptional: false };
    await using trusted = await mailServer({ ...await pairOf("server"), ...servers });
    await using other = await mailServer({ ...await pairOf("elsewhere"), ...servers });
    await using plain = await mailServer({
      hideSTARTTLS: true,
      ...servers,
      allowInsecureAuth: true,
    });
    await using direct = await mailServer({ ...await pairOf("server"), ...servers, secure: true });
    const refused = [
      await to(trusted.port, elsewhere),
      await to(other.port, { ...elsewhere, ca }),
      await to(plain.port, { ...elsewhere, ca }),
      // TLS from the first byte is verified on this machine too.
      await to(direct.port, {}, "smtps"),
    ];
    for (const { ok, isFinal, status } of refused) {
      assert.deepEqual([ok, isFinal], [false, false], String(status));
    }
    assert.deepEqual(heard, []);
    assert.deepEqual([trusted, other, plain, direct].flatMap(({ taken }) => taken), []);
    assert.equal((await to(trusted.port, { ...elsewhere, ca })).ok, true);
    assert.equal((await to(direct.port, { ...elsewhere, ca }, "smtps")).ok, true);
    assert.deepEqual(heard, ["me:p@ss", "me:p@ss"]);
    const [arrived] = trusted.taken;
    assert.equal(arrived?.secure, true);
    assert.equal(arrived?.parsed.subject, "Grüße");
    assert.deepEqual(arrived?.to, ["elif@example.org"]);
    assert.equal(arrived?.parsed.text, "Text\n.\nmore\n");
    assert.equal(arrived?.parsed.messageId, `<${mail.id}@example.org>`);
  });
});

type Done = (error: Error | null, answer: { user: string | undefined }) => void;

Deno.test("smtp: a refusal of the recipient or the mail is final, one of the server or for now is not", async () => {
  await using server = await mailServer();
  const to = () => handOver(wayTo(`smtp://127.0.0.1:${server.port}`), mail);
  const seen = async () => {
    const { ok, status, isFinal } = await to();
    return [ok, status, isFinal];
  };
  server.refuses = () => 550;
  assert.deepEqual(await seen(), [false, 550, true]);
  server.refuses = () => 450;
  assert.deepEqual(await seen(), [false, 450, false]);
  server.refuses = () => 0;
  server.takes = () => 554;
  assert.deepEqual(await seen(), [false, 554, true]);
  server.takes = () => 451;
  assert.deepEqual(await seen(), [false, 451, false]);
  await using closed = await mailServer({
    onMailFrom: (_address, _session, done) =>
      done(Object.assign(new Error("not you"), { responseCode: 553 })),
  });
  const { status, isFinal } = await handOver(wayTo(`smtp://127.0.0.1:${closed.port}`), mail);
  assert.deepEqual([status, isFinal], [553, false]);
});

Deno.test("smtp: a server that says nothing, or goes away, costs no more than the time of a try", async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const holding = (async () => {
    for await (const connection of silent) held.push(connection);
  })();
  const { port } = silent.addr as Deno.NetAddr;
  const answer = await handOver(wayTo(`smtp://127.0.0.1:${port}`), mail, 1500);
  assert.deepEqual([answer.ok, answer.status], [false, 0]);
  assert.match(answer.error, /did not answer within 1500 ms/);
  for (const connection of held) connection.close();
  silent.close();
  await holding;
  await assert.rejects(handOver(wayTo(`smtp://127.0.0.1:${port}`), mail, 5000), /refused/i);
  // Slowly, so that it is amid the mail when the time is over.
  await using slow = await mailServer();
  let release = () => {};
  slow.takes = () => new Promise((resolve) => release = () => resolve(0));
  const late = await handOver(wayTo(`smtp://127.0.0.1:${slow.port}`), mail, 3000);
  assert.match(late.error, /did not answer within 3000 ms/);
  release();
});

Deno.test("smtp: the server that its setting names needs no other, and a name that leads inside does", async () => {
  await using smtp = await mailServer();
  const server = { ...wayTo("smtp://mail.example.org").server, port: smtp.port };
  const entries = [`mail.example.org:${smtp.port}`];
  const lookup: NonNullable<Parameters<typeof openOutbound>[0]["lookup"]> = (
    _name,
    options,
    done,
  ) => options.all ? done(null, [{ address: "127.0.0.1", family: 4 }]) : done(null, "127.0.0.1", 4);
  const way = {
    server,
    outbound: openOutbound({ entries, lookup }),
    from: "",
    trustsLoopback: true,
  };
  await assert.rejects(handOver(way, mail), (error: unknown) => {
    assert.ok(error instanceof OutboundDenied);
    assert.equal(error.reason, "private_address");
    return true;
  });
  const meant = openOutbound({ entries: [...entries, "127.0.0.1"], lookup });
  assert.equal((await handOver({ ...way, outbound: meant }, mail)).ok, true);
  const other = openOutbound({ entries: ["other.example.org"], lookup });
  await assert.rejects(handOver({ ...way, outbound: other }, mail), /not named/);
});

Deno.test("smtp: URLs of servers, and addresses that are one address", () => {
  const of = (text: string) => parseSmtpUrl(text);
  assert.deepEqual(of("smtp://Mail.Example.org"), {
    host: "mail.example.org",
    port: 587,
    isSecure: false,
    auth: null,
  });
  assert.deepEqual(of("smtps://u%40x:p%3A@[::1]/"), {
    host: "::1",
    port: 465,
    isSecure: true,
    auth: { user: "u@x", pass: "p:" },
  });
  for (
    const text of [
      "http://a",
      "smtp://",
      "smtp://a/x",
      "smtp://a?b",
      "smtp://a#b",
      "smtp://u@a",
      "smtp://%",
      "mail.example.org",
      "smtp://a b",
      "smtp://u:%zz@a",
    ]
  ) assert.equal(of(text), undefined, text);
  for (const good of ["a@b", "ü@bücher.example", "a+b@c.example.org", "o'hara@x.org"]) {
    assert.equal(problemOfAddress(good), undefined, good);
  }
  for (
    const bad of [
      "",
      "a",
      "@b",
      "a@",
      "a@b@c",
      "a b@c",
      "a@b,c@d",
      "<a@b>",
      "a@b\r\nBcc: c@d",
      "a@b;c@d",
      '"a b"@c',
      "a@b..c",
      "a@b.",
      "a\u200b@b",
      "(x)a@b",
      `${"a".repeat(65)}@b`,
    ]
  ) assert.ok(problemOfAddress(bad), bad);
});

Deno.test("smtp: a server that takes sign-ins by CRAM-MD5 alone is signed in to, and told of where it refuses", async () => {
  const ways: string[] = [];
  const serverOf = (authMethods: string[], isRight: boolean) =>
    mailServer({
      authMethods,
      authOptional: false,
      allowInsecureAuth: true,
      hideSTARTTLS: true,
      onAuth: (auth, _session, done) => {
        ways.push(auth.method);
        const { challengeResponse } = auth as { challengeResponse?: unknown };
        assert.ok(challengeResponse);
        return isRight
          ? done(null, { user: auth.username })
          : done(Object.assign(new Error("no"), { responseCode: 535 }));
      },
    });
  await using right = await serverOf(["CRAM-MD5"], true);
  await using wrong = await serverOf(["CRAM-MD5"], false);
  await using foreign = await serverOf(["XOAUTH2"], true);
  const to = ({ port }: { port: number }) =>
    handOver(wayTo(`smtp://me:secret-word@127.0.0.1:${port}`), mail);
  assert.equal((await to(right)).ok, true);
  const refused = await to(wrong);
  assert.deepEqual([refused.ok, refused.status, refused.isFinal], [false, 535, false]);
  assert.match(refused.error, /takes sign-ins by CRAM-MD5 alone and refused this one/);
  const strange = await to(foreign);
  assert.match(strange.error, /by XOAUTH2 alone, and Keydesk signs in by PLAIN, LOGIN, CRAM-MD5/);
  assert.doesNotMatch(JSON.stringify([refused, strange]), /secret-word/);
  assert.deepEqual(ways, ["CRAM-MD5", "CRAM-MD5"]);
});

Deno.test("smtp: without SMTPUTF8 nothing is sent that needs it, and it is told whose address does", async () => {
  await using plain = await mailServer({ hideSMTPUTF8: true });
  await using able = await mailServer();
  const to = ({ port }: { port: number }, more: Partial<typeof mail>) =>
    handOver(wayTo(`smtp://127.0.0.1:${port}`), { ...mail, ...more });
  const own = { to: { name: "Jörg", address: "jörg@example.org" } };
  const cases = [
    [own, true, "the recipient's address"],
    [{ from: { name: "", address: "schlüssel@example.org" } }, false, "the address that mails are"],
    [{ replyTo: "schlüssel@example.org" }, false, "the address that answers go to"],
  ] as const;
  for (const [more, isFinal, whose] of cases) {
    const answer = await to(plain, more);
    assert.deepEqual([answer.ok, answer.status, answer.isFinal], [false, 0, isFinal], whose);
    assert.ok(answer.error.startsWith("the mail server does not offer SMTPUTF8, which "));
    assert.ok(answer.error.includes(whose), answer.error);
    assert.doesNotMatch(answer.error, /@example/);
    assert.equal((await to(able, more)).ok, true, whose);
  }
  assert.equal(plain.taken.length, 0);
  // Names and subjects need nothing, and a domain has a spelling that each server takes.
  const elsewhere = await to(plain, { to: { name: "Jörg", address: "joerg@müller.example" } });
  assert.equal(elsewhere.ok, true);
  assert.match(plain.taken[0]?.raw ?? "", /^To: .*<joerg@xn--mller-kva\.example>/m);
});
