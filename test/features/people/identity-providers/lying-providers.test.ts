/**
 * An identity provider that is away, slow, changed or lying lets nobody in, and holds nobody up.
 */
import assert from "node:assert/strict";
import { openedProvider } from "../../../../src/features/people/identity-providers/identity-provider.ts";
import { findProviderById } from "../../../../src/features/people/identity-providers/identity.store.ts";
import {
  CALL_MS,
  MOST_ERRANDS,
  onErrand,
} from "../../../../src/features/people/identity-providers/provider-calls.ts";
import { openOutbound } from "../../../../src/kernel/outbound/open-outbound.ts";
import type { OutboundCall } from "../../../../src/kernel/outbound/outbound.ts";
import { assertFailure } from "../../../support/answers.ts";
import { openTestDesk, type TestDesk } from "../../../support/desk.ts";
import {
  addProvider,
  begin,
  come,
  enter,
  finish,
  HOST,
  reach,
  type StandIn,
  standIn,
  TERMS,
} from "../../../support/identity-provider.ts";
import { at, down, LIES } from "../../../support/lying-providers.ts";
import { call } from "../../../support/people.ts";
import { signIn } from "../../../support/sign-in.ts";

const GRACE = { sub: "grace", name: "Grace", groups: ["desk"] };

const logout = (desk: TestDesk, id: string, logout_token: string, from?: string) =>
  desk.send("POST", `/v1/session/provider/${id}/logout`, {
    credential: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ logout_token }).toString(),
    ...from === undefined ? {} : { from },
  });

/** The provider is read anew: what it said of itself counts for a minute. */
async function anew(desk: TestDesk, id: string): Promise<void> {
  await call(desk, "PUT", `/v1/identity-providers/${id}`, TERMS);
}

async function withProvider(
  work: (desk: TestDesk, provider: StandIn, id: string) => Promise<void>,
): Promise<void> {
  await using provider = await standIn();
  // What the provider does has nothing to do with the store.
  await using desk = await openTestDesk("sqlite");
  await work(desk, provider, await addProvider(desk, provider));
}

Deno.test("provider: whatever it lies about, nobody is let in, and none is told of it", () =>
  withProvider(async (desk, provider, id) => {
    for (const [name, [lies, code, where]] of Object.entries(LIES)) {
      provider.lies = lies;
      await anew(desk, id);
      const response = where === "begin"
        ? await desk.send("POST", `/v1/session/provider/${id}`, {
          credential: null,
          headers: { host: HOST },
          body: {},
        })
        : await come(desk, provider, id, GRACE);
      assert.equal(response.headers.get("set-cookie"), null, name);
      await assertFailure(response, code);
    }
    const { data } = await call(desk, "GET", "/v1/people");
    assert.equal(data.length, 1, "nobody was added");
    // Whatever it did, others get in by their own ways, and by it once it is honest again.
    await signIn(desk, { credential: desk.admin });
    provider.lies = {};
    await anew(desk, id);
    await enter(desk, provider, id, GRACE);
    await provider.changeKeys();
    await enter(desk, provider, id, GRACE);
  }));

Deno.test("provider: what comes back by another issuer, or without its name, is nothing", () =>
  withProvider(async (desk, provider, id) => {
    const answers: ((good: URLSearchParams) => void)[] = [
      (good) => good.set("iss", "https://evil.example"),
      (good) => good.delete("iss"),
      (good) => good.set("state", "another"),
      (good) => good.delete("state"),
      (good) => good.delete("code"),
      (good) => good.append("code", "two"),
      (good) => {
        good.delete("code");
        good.set("error", "access_denied");
      },
      (good) => good.set("response", "eyJ"),
    ];
    for (const spoil of answers) {
      const { url, cookie } = await begin(desk, id);
      const good = new URLSearchParams(provider.authorize(url, GRACE));
      spoil(good);
      await assertFailure(await finish(desk, id, good.toString(), cookie), "not_authorised");
    }
    assert.ok(!provider.asked.includes("/token"), "nobody was asked");
  }));

Deno.test("provider: one that answers nothing is left after its time, and asked once by many", () =>
  withProvider(async (desk, provider, id) => {
    const late = Promise.withResolvers<Response>();
    provider.lies = { answer: () => late.promise };
    const way = openOutbound({ entries: [provider.host] });
    const calls: OutboundCall[] = [];
    (desk.app.ctx as { outbound: unknown }).outbound = {
      ...way,
      send: (made: OutboundCall) => {
        calls.push(made);
        return way.send({ ...made, timeoutMs: 1 });
      },
    };
    const start = () =>
      desk.send("POST", `/v1/session/provider/${id}`, {
        credential: null,
        headers: { host: HOST },
        body: {},
      });
    const all = await Promise.all(Array.from({ length: 8 }, start));
    for (const one of all) await assertFailure(one, "provider_away");
    assert.deepEqual(calls.map(({ timeoutMs }) => timeoutMs), [CALL_MS]);
    // Else the stand-in could not end.
    late.resolve(new Response());
  }));

Deno.test("provider: an address that failed often has nobody asked, whether by answer or by logout", () =>
  withProvider(async (desk, provider, id) => {
    const from = "192.0.2.7";
    provider.lies = at("/token", down);
    const back = async (where?: string) => {
      const { url, cookie } = await begin(desk, id);
      return await desk.send("POST", `/v1/session/provider/${id}/answer`, {
        credential: null,
        headers: { host: HOST, cookie },
        body: { answer: provider.authorize(url, GRACE) },
        ...where === undefined ? {} : { from: where },
      });
    };
    const codes = [];
    for (let n = 0; n < 22; n++) {
      const answer = await back(from);
      codes.push(answer.headers.get("x-keydesk-error"));
      await answer.body?.cancel();
    }
    assert.deepEqual(codes, [
      ...Array.from({ length: 21 }, () => "provider_away"),
      "too_many_requests",
    ]);
    const before = provider.asked.length;
    provider.lies = {};
    assert.equal((await back(from)).status, 429);
    const token = await provider.logoutToken({ sub: GRACE.sub });
    assert.equal((await logout(desk, id, token, from)).status, 429);
    assert.equal(provider.asked.length, before, "nobody was asked");
    // From elsewhere people go on.
    assert.equal((await back("192.0.2.8")).status, 200);
  }));

Deno.test("provider: logouts share its keys, and errands at once have a bound", () =>
  withProvider(async (desk, provider, id) => {
    for (const sub of ["one", "two", "three"]) {
      assert.equal((await logout(desk, id, await provider.logoutToken({ sub }))).status, 200);
    }
    assert.equal(provider.asked.filter((path) => path === "/jwks").length, 1);
    const { ctx } = desk.app;
    const row = await findProviderById(ctx.storage.reader, { id });
    const opened = row && openedProvider(ctx.sealer, row);
    assert.ok(opened);
    const end = Promise.withResolvers<null>();
    const errands = Array.from(
      { length: MOST_ERRANDS },
      () => onErrand(ctx, opened, () => end.promise),
    );
    await assertFailure(await come(desk, provider, id, GRACE), "provider_away");
    end.resolve(null);
    await Promise.all(errands);
    await enter(desk, provider, id, GRACE);
  }));

Deno.test("provider: what KEYDESK_OUTBOUND does not name is not called, wherever it leads", () =>
  withProvider(async (desk, provider, id) => {
    reach(desk, "login.example.org");
    await anew(desk, id);
    const check = await call(desk, "POST", `/v1/identity-providers/${id}/check`);
    assert.deepEqual([check.works, check.problem], [
      false,
      `${provider.host} is not named in KEYDESK_OUTBOUND, so it is not called`,
    ]);
    const body = { issuer: "https://login.elsewhere.example", ...TERMS };
    const refused = await desk.send("POST", "/v1/identity-providers", { body });
    assert.equal((await refused.json()).code, "provider_uncalled");
    assert.equal(provider.asked.length, 0);
  }));
