import { shellWord } from "../../../parts/shell-text.ts";

/** Each step for the shell, one after the other in one shell. A line has names, never a secret. */
export const lineOf = {
  api: () =>
    curl("/v1/apis", { id: "weather", name: "Weather" }) + " && " +
    curl("/v1/plans", {
      id: "free",
      name: "Free",
      rate: 60,
      per: 60,
      access_rights: { weather: {} },
    }) +
    " && " + curl("/v1/apis/weather", { plans: ["free"] }, "PUT"),
  request: (plan = "free") =>
    curl("/v1/developers", { id: "ada", email: "ada@example.org" }) +
    // The id is the answer's first text.
    ` && REQUEST=$(${curl("/v1/key-requests", { by_user: "ada", for_plan: plan })} | ` +
    `cut -d'"' -f4) && echo "$REQUEST"`,
  approve: (id = "$REQUEST") => curl(`/v1/key-requests/${id}/approve`, {}),
  verify: (api_id = "weather") => curl("/v1/keys/verify", { key: "$KEY", api_id }),
  mail: () => curl("/v1/channels", { kind: "mail", name: "Mail" }),
  apart: () => curl("/v1/approval-policy", { outcome: "catalogue", not_by_filer: true }, "PUT"),
  pages: () => curl("/v1/developer-pages", { enabled: true }, "PUT"),
  gateway: (api_id: string) =>
    `curl -i "${location.origin}/v1/forward-auth?api=${encodeURIComponent(api_id)}"` +
    ' -H "X-Keydesk-Authorization: $GATEWAY" -H "Authorization: $KEY"',
};

function curl(path: string, body: object, method?: string): string {
  // Only the key is filled in by the shell: ids may be any text.
  const quoted = shellWord(JSON.stringify(body)).replace('{"key":"$KEY"', `{"key":"'"$KEY"'"`);
  return `curl -s -H "Authorization: $KEYDESK"${method ? ` -X ${method}` : ""} -d ${quoted} ` +
    (path.includes("$") ? `"${location.origin}${path}"` : `${location.origin}${path}`);
}
