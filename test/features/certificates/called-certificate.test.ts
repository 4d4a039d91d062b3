/** What a certificate is called: one rule, wherever it is named. */
import assert from "node:assert/strict";
import { issue } from "../../support/certificates.ts";
import { testOnEngines } from "../../support/desk.ts";
import { call } from "../../support/people.ts";
import type { Wanted } from "../../../packages/x509/test/support/issue.ts";

const uri = { uniformResourceIdentifier: "spiffe://example.org/a" };
const ip = { iPAddress: "192.0.2.1" };
const mail = { rfc822Name: "lena@example.org" };
const dns = { dNSName: "a.example" };
const O = { O: "Trust", OU: "Web" };

const cases: [wanted: Wanted, name: string][] = [
  [{ subject: { CN: "Common", ...O }, names: [dns] }, "Common"],
  [{ subject: O, names: [mail, ip, uri, dns] }, "a.example"],
  [{ subject: O, names: [mail, ip, uri] }, "spiffe://example.org/a"],
  [{ subject: O, names: [mail, ip] }, "192.0.2.1"],
  [{ subject: {}, names: [mail] }, "lena@example.org"],
  [{ subject: O }, "Web, Trust"],
  [{ subject: { C: "DE", ST: "Bremen" } }, "DE, Bremen"],
];

testOnEngines("certificates: one rule of names for every place that names one", async (desk) => {
  const authority = issue({ subject: { CN: "Root" }, authority: true });
  await desk.send("POST", "/v1/certificates?as=each", { body: authority.certificate });
  for (const [wanted, name] of cases) {
    const body = issue({ ...wanted, issuer: authority, days: 5 }).certificate;
    const answer = await (await desk.send("POST", "/v1/certificates?as=each", { body })).json();
    const [{ id, name: told }] = answer.results;
    assert.equal(told, name);
    const { data: [row] } = await call(desk, "GET", "/v1/audit-log?limit=1");
    assert.equal(row.object_name ?? JSON.stringify(row), name);
    const { certificates } = await call(desk, "GET", "/v1/insight/expiries");
    const due = certificates.due.next.find((one: { id: string }) => one.id === id);
    assert.equal(due.name, name);
    const { data: [root] } = await call(desk, "GET", "/v1/certificates?is_ca=true");
    const { data } = await call(desk, "GET", `/v1/certificates/${root.id}/issued`);
    assert.equal(data.find((one: { id: string }) => one.id === id).name, name);
    await call(desk, "DELETE", `/v1/certificates/${id}`);
  }
});
