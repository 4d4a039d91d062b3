/**
 * The former addresses of screens, each with the present one, below `/console`. The rest of an
 * address and its query stay. A slash at the end: only with a rest.
 */
const FORMER: Readonly<Record<string, string>> = {
  "/activity": "/audit-log",
  "/catalogue": "/apis",
  "/deliveries": "/settings?show=deliveries",
  "/door": "/logs",
  "/key-requests": "/requests",
  "/leaks": "/keys?leaked=reports",
  "/migration": "/gateways/migration",
  "/plans": "/apis",
  "/plans/": "/apis/plans",
  "/start": "/home?steps=all",
};

/** The present address of a former one, each with its query; undefined: it is none. */
export function presentAddress(address: string): string | undefined {
  const [path = "", query] = address.split("?");
  const [, first = "", rest = ""] = /^(\/[^/]*)(.*)$/.exec(path) ?? [];
  const present = rest !== "" && FORMER[`${first}/`] || FORMER[first];
  if (present === undefined) return undefined;
  const [to, own] = present.split("?");
  const asked = first === "/migration"
    ? query?.replace(/\bshow=there\b/, "show=at_gateway")
    : query;
  const all = [own, asked].filter(Boolean).join("&");
  return `${to}${rest}${all && `?${all}`}`;
}
