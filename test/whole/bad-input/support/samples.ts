import { fullKeyRequest } from "../../../../src/features/key-requests/key-requests.example.ts";

/** The smallest body that is accepted. */
export const minimal = { by_user: "developer-1", for_plan: "plan-1" };

/** A request for an OAuth client, from a developer who has one already. */
export const oauth = {
  by_user: "developer-2",
  for_plan: "plan-2",
  fields: { oauth_app_description: "An app", oauth_use_case: "A use" },
  oauth_info: { redirect_uri: "https://app.example.org/back" },
  jwt_secret: "sealed at rest",
  date_created: "2026-04-01T10:00:00.5+02:00",
  portal_developer: {
    id: "developer-2",
    email: "grace@example.org",
    keys: { "key-1": ["plan-3"] },
    subscriptions: { "plan-3": "key-1" },
    nonce: "n",
    sso_key: "s",
    oauth_clients: { "plan-3": [{ client_id: "c", secret: "hidden", redirect_uri: "https://a" }] },
    PWHistory: ["old"],
  },
  catalogue_entry: { name: "Maps", policy_id: "plan-2", auth_type: "oauth" },
};

/** One sample of every kind, asked for by the developer of this number. */
export function samplesOf(developer: number): readonly unknown[] {
  return [numbered(fullKeyRequest, developer), numbered(oauth, developer), {
    ...minimal,
    by_user: `${minimal.by_user}-${developer}`,
  }];
}

function numbered<Body extends { by_user: string; portal_developer: { email: string } }>(
  body: Body,
  developer: number,
): Body {
  const by_user = `${body.by_user}-${developer}`;
  const email = `${developer}.${body.portal_developer.email}`;
  return { ...body, by_user, portal_developer: { ...body.portal_developer, id: by_user, email } };
}
