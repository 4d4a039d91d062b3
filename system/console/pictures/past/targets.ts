/** Who is told of changes. */
import type { Desk } from "../picture-desk.ts";

/** Adds three webhooks, and mails. */
export async function addTargets(desk: Desk): Promise<void> {
  const add = (name: string, url: string, topics: string[]) =>
    desk.call("POST", "/v1/targets", { name, url, topics });
  await add("Developer portal", "https://developers.riverline.example/hooks/keydesk", [
    "key_request.*",
    "key.*",
  ]);
  await add("Gateway cache", "https://gateway.riverline.example/keydesk/events", [
    "key.*",
  ]);
  await add("Team chat", "https://chat.riverline.example/hooks/p3k9", ["certificate.*"]);
  await desk.call("POST", "/v1/targets", {
    kind: "mail",
    name: "Mail",
    mail: { from_name: "Riverline open services", time_zone: "Europe/Amsterdam" },
  });
}
