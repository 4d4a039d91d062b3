import type { z } from "zod";
import type { RequestContext } from "../../calls/context.ts";
import { actorOf } from "../../calls/principal.ts";
import { bodyErrors } from "../../contract/endpoint.ts";
import { operation } from "../../http/operation.ts";
import { Failure } from "../../kernel/failure.ts";
import { newId } from "../../kernel/ids.ts";
import { reasonOf } from "./delivery-engine.ts";
import { missingOutbound, requireFirstOrganisation, storedMailServer } from "./mail-server.ts";
import {
  mailServerInput,
  mailServerTest,
  mailServerTestInput,
  mailServerView,
} from "./mail-server.contract.ts";
import { clearMailServer, noteMailTest, replaceMailServer } from "./mail-server.transactions.ts";

const tag = "Operations";

/** Reads the mail server. */
export const getMailServer = operation({
  id: "getMailServer",
  method: "GET",
  path: "/v1/server/mail",
  tag,
  summary: "Read the server that mails are handed to, for the server administrator",
  description: "Its password is never read.",
  permission: ["operator"],
  response: mailServerView,
  errors: ["access_denied"],
  serve: (ctx) => view(ctx),
});

/** Sets the mail server. */
export const setMailServer = operation({
  id: "setMailServer",
  method: "PUT",
  path: "/v1/server/mail",
  tag,
  summary: "Set the server that mails are handed to; it is used from the next mail on",
  description:
    "Its host and port must be named by KEYDESK_OUTBOUND. The password is stored sealed; another host, port or user needs it anew. Where KEYDESK_SMTP_URL is set, that counts, and this is 409. It needs a person who has just signed in: access tokens are denied.",
  permission: ["operator"],
  needsFreshSignIn: true,
  body: mailServerInput,
  response: mailServerView,
  errors: [...bodyErrors, "access_denied", "set_by_environment"],
  example: { host: "mail.example.org", user: "keydesk", password: "…", from: "keys@example.org" },
  async serve(ctx, { body }) {
    const { password, ...settings } = withPort(body);
    requireOwn(ctx);
    const missing = missingOutbound(ctx.outbound, settings);
    if (missing !== null) {
      const message = `host: KEYDESK_OUTBOUND does not name ${missing}`;
      throw new Failure("invalid_input", { message, details: [message] });
    }
    const actor = actorOf(ctx.principal, ctx.clock.now());
    await ctx.storage.commit(replaceMailServer, { actor, settings, password });
    return await view(ctx);
  },
});

/** Removes the stored mail server. */
export const deleteMailServer = operation({
  id: "deleteMailServer",
  method: "DELETE",
  path: "/v1/server/mail",
  tag,
  summary: "Remove the stored mail server, with its password",
  description: "Mails wait until there is one again. Access tokens are denied.",
  permission: ["operator"],
  needsFreshSignIn: true,
  response: mailServerView,
  errors: ["access_denied", "not_found"],
  async serve(ctx) {
    requirePerson(ctx);
    await ctx.storage.commit(clearMailServer, { actor: actorOf(ctx.principal, ctx.clock.now()) });
    return await view(ctx);
  },
});

/** Sends a test mail. */
export const testMailServer = operation({
  id: "testMailServer",
  method: "POST",
  path: "/v1/server/mail/test",
  tag,
  summary: "Send one mail by the server that mails are handed to, and give what came of it",
  description: "It is tried once. Access tokens are denied.",
  permission: ["operator"],
  needsFreshSignIn: true,
  body: mailServerTestInput,
  response: mailServerTest,
  errors: [...bodyErrors, "access_denied", "no_mail_server"],
  example: { to: "ada@example.org" },
  serve: (ctx, { body: { to } }) => sendTest(ctx, to),
});

async function view(ctx: RequestContext): Promise<z.output<typeof mailServerView>> {
  const { outbound, settings, storage: { reader }, principal: { org_id } } = ctx;
  await requireFirstOrganisation(reader, org_id);
  if (settings.smtp !== undefined) {
    const { host, port, isSecure, auth } = settings.smtp;
    return {
      source: "environment",
      host,
      port,
      security: isSecure ? "tls" : "starttls",
      user: auth?.user ?? "",
      has_password: auth !== null,
      from: settings.mailFrom,
      missing_outbound: null,
    };
  }
  const stored = await storedMailServer(reader);
  if (!stored) return { ...NONE, from: settings.mailFrom };
  const { settings: known, password } = stored;
  return {
    source: "stored",
    ...known,
    has_password: password !== null,
    missing_outbound: missingOutbound(outbound, known),
  };
}

const NONE: z.output<typeof mailServerView> = {
  source: "none",
  host: "",
  port: null,
  security: null,
  user: "",
  has_password: false,
  from: "",
  missing_outbound: null,
};

function withPort({ port, ...body }: z.output<typeof mailServerInput>) {
  return { ...body, port: port ?? (body.security === "tls" ? 465 : 587) };
}

/** Throws `access_denied` for an access token: what it could set would read every mail. */
function requirePerson({ principal }: RequestContext): void {
  if (!principal.session) throw new Failure("access_denied");
}

function requireOwn(ctx: RequestContext): void {
  requirePerson(ctx);
  if (ctx.settings.smtp !== undefined) throw new Failure("set_by_environment");
}

async function sendTest(ctx: RequestContext, to: string): Promise<z.output<typeof mailServerTest>> {
  requirePerson(ctx);
  await requireFirstOrganisation(ctx.storage.reader, ctx.principal.org_id);
  const server = await ctx.mail();
  if (!server) throw new Failure("no_mail_server");
  // Without a sender channels name theirs: the recipient's own address is one that takes mail.
  const from = server.from || to;
  const { handOver } = await import("./smtp.ts");
  const text = "This is a test: mails of Keydesk arrive here.";
  const { ok, status, answer, error } = await handOver(server, {
    id: newId(ctx.clock.now()),
    to: { name: "", address: to },
    from: { name: "Keydesk", address: from },
    replyTo: "",
    subject: "A test of Keydesk",
    text: `${text}\n`,
    html: `<p>${text}</p>`,
    language: "en",
    unknown: [],
  }).catch((problem: unknown) => ({ ok: false, status: 0, answer: "", error: reasonOf(problem) }));
  const actor = actorOf(ctx.principal, ctx.clock.now());
  await ctx.storage.commit(noteMailTest, { actor, ok, status });
  return { ok, status, answer: answer.slice(0, 1000), error };
}
