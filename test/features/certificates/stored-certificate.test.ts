/** Members of stored texts that are read without parsing them. */
import assert from "node:assert/strict";
import {
  memberOf,
  namesOf,
  parseBasics,
  parseDetails,
  storedTexts,
} from "../../../src/features/certificates/stored-certificate.ts";

const nasty = [
  "",
  "plain",
  'a "quoted" name',
  `","not_after":"9999`,
  `x","subject_cn":"y`,
  String.raw`ends with \ `.trim(),
  String.raw`\","key_size":1,`,
  "two\nlines, é and \u{1f512}",
  `],"has_private":true`,
];

Deno.test("stored texts: members that are read alone are those that parsing gives, whatever they hold", () => {
  for (const one of nasty) {
    for (const other of nasty) {
      const texts = storedTexts(
        { id: "1", dns_names: [one, other] },
        { is_ca: true, issuer_cn: one, subject_cn: other, not_after: "b", not_before: "a" },
        {
          fingerprint: "f",
          serial_number: "01",
          issuer: { common_name: one } as never,
          subject: { common_name: other } as never,
          key_algorithm: one,
          key_size: 2048,
          signature_algorithm: other,
          ip_addresses: [],
          uris: [],
          email_addresses: [],
          chain_length: 1,
          date_created: "d",
          path_length: null,
        },
      );
      const { head, tail, details } = texts;
      const basics = parseBasics(texts);
      for (const member of ["issuer_cn", "subject_cn", "not_after", "not_before"] as const) {
        assert.equal(memberOf(tail, member), basics[member], tail);
      }
      assert.equal(memberOf(tail, "is_ca"), "true");
      assert.equal(namesOf(texts), basics.dns_names.join(" "), head);
      for (const member of ["key_algorithm", "key_size", "serial_number"] as const) {
        assert.equal(memberOf(details, member), String(parseDetails(texts)[member]), details);
      }
    }
  }
  const none = { id: "1", dns_names: [] };
  const { head } = storedTexts(none, {} as never, {} as never);
  assert.equal(namesOf({ head }), "");
});
