/**
 * What the endpoints of branding refuse, and names that turn others round wherever /v1 takes one.
 */
import { call } from "../../support/people.ts";
import { denied, invalid, testRefusals } from "../../support/refusals.ts";

const BRANDING = "/v1/branding";
const brand = { name: "Coastal Data", base_url: "https://api.example.org" };
const URL_WANTED = "expected an https:// URL without a user name, or nothing";

/** What strangers would be led by. */
const leading: [body: Record<string, unknown>, said: string][] = [
  [{ colour: "red" }, "colour: expected a colour such as #0f6b5c, or nothing"],
  [{ support: "nobody" }, "support: expected an e-mail address, or nothing"],
  [{ base_url: "http://api.example.org" }, `base_url: ${URL_WANTED}`],
  [{ documentation: "javascript:alert(1)" }, `documentation: ${URL_WANTED}`],
  [
    { logo: "data:image/svg+xml;base64,AAAA" },
    "logo: expected a data: URL of a PNG, JPEG or WebP picture in base64, or nothing",
  ],
  [{ key_header: "X Api" }, "key_header: expected the name of a header"],
];
/** No tokens, as RFC 9110 has them. */
const notHeaders = ["X-Key: a", "X Key", "X-Key\n", "Clé", "a(b)", '"X"', "", "x".repeat(101)];
const turned = "Acme\u202egnp.exe";

testRefusals("branding", async (desk) => {
  await call(desk, "PUT", BRANDING, brand);
  const named = (method: string, path: string, more = {}) =>
    invalid(
      `${method} ${path}: a name that turns others round`,
      [method, path, { name: turned, ...more }],
      "name: must not hold control or format characters",
    );
  const rows = [
    ...leading.map(([body, said]) => invalid(JSON.stringify(body), ["PUT", BRANDING, body], said)),
    ...notHeaders.map((key_header) =>
      invalid(
        `the header ${JSON.stringify(key_header)}`,
        ["PUT", BRANDING, { ...brand, key_header }],
        "key_header: expected the name of a header",
      )
    ),
    named("PUT", BRANDING),
    named("POST", "/v1/people", { permissions: [] }),
    named("POST", "/v1/channels", { url: "https://portal.example.org/" }),
    named("POST", "/v1/organisations", { administrator: "a" }),
    denied(["GET", BRANDING], "portal:read", "approve"),
    denied(["PUT", BRANDING, {}], "portal:read", "approve"),
  ];
  return { rows, unchanged: () => call(desk, "GET", BRANDING) };
});
