/** Who works at the desk, and what calls it. */
import { world } from "../fixed-world.ts";
import { DAY_MS, type Desk, NOW } from "../picture-desk.ts";

/** Adds them, each with an access token; whoever looks at the console is the first of them. */
export async function addPeople(desk: Desk) {
  const add = async (name: string, email: string, permissions: string[], from: string) => {
    world.now += DAY_MS / 7;
    const person = await desk.call("POST", "/v1/people", {
      name,
      permissions,
      ...email ? { email: `${email}@riverline.example` } : {},
    });
    const issued = await desk.call("POST", `/v1/people/${person.id}/access-tokens`, {
      name: email ? "laptop" : "production",
      deliver: "answer",
      expires_at: new Date(NOW + (email ? 140 : 400) * DAY_MS).toISOString(),
    });
    const { access_token, id } = issued;
    return { token: access_token, from, id };
  };
  const every = ["portal:read", "portal:write", "certs:read", "certs:write", "plans", "approve"];
  const all = [...every, "verify", "secrets", "audit", "metrics", "admin", "operator"];
  const marit = await add("Marit Solberg", "marit.solberg", all, "192.0.2.31");
  desk.viewer = marit.id;
  return {
    marit,
    tomas: await add(
      "Tomás Ferreira",
      "tomas.ferreira",
      ["portal:read", "approve"],
      "192.0.2.44",
    ),
    jana: await add("Jana Novák", "jana.novak", ["certs:read", "certs:write"], "192.0.2.58"),
    rhys: await add(
      "Rhys Morgan",
      "rhys.morgan",
      ["portal:read", "certs:read", "audit"],
      "203.0.113.20",
    ),
    portal: await add(
      "Developer portal",
      "",
      ["portal:read", "portal:write", "approve", "secrets"],
      "198.51.100.7",
    ),
    gateway: await add("API gateway", "", ["verify"], "198.51.100.12"),
  };
}
