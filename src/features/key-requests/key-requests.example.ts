const email = (subject: string) => ({
  enabled: true,
  subject,
  body: "Thank you for your interest in our APIs.",
  sign_off: "The API team",
  hide_token_data: false,
});

const config = {
  id: "5f1a2b3c4d5e6f7081920003",
  org_id: "5f1a2b3c4d5e6f7081920000",
  signup_fields: [],
  key_request_fields: ["use_case"],
  require_key_approval: true,
  redirect_on_key_request: false,
  redirect_to: "",
  enable_multi_selection: false,
  disable_login: false,
  disable_signup: false,
  disable_auto_login: false,
  catalogue_login_only: false,
  oauth_usage_limit: 0,
  email: "apis@example.org",
  mail_options: {
    mail_from_name: "API team",
    mail_from_email: "apis@example.org",
    email_copy: {
      welcome_email: email("Welcome"),
      key_email: email("Your key"),
      reset_password_email: email("Reset your password"),
    },
  },
  override: false,
  HashKeys: true,
};

const entry = {
  name: "Weather",
  short_description: "Forecasts for every place",
  long_description: "Hourly forecasts for ten days, world-wide, with warnings.",
  show: true,
  api_id: "5f1a2b3c4d5e6f7081920001",
  policy_id: "5f1a2b3c4d5e6f7081920002",
  documentation: "",
  version: "v2",
  is_keyless: false,
  config,
  fields: {},
  auth_type: "authToken",
};

/**
 * A key request with every member of the specification's tables: the reference's example and the
 * tests' full body.
 */
export const fullKeyRequest = {
  key: "",
  org_id: "5f1a2b3c4d5e6f7081920000",
  for_api: "",
  for_plan: "5f1a2b3c4d5e6f7081920002",
  apply_policies: ["5f1a2b3c4d5e6f7081920002"],
  remove_policies: [],
  by_user: "5f1a2b3c4d5e6f7081920004",
  fields: { use_case: "Show the weather in our app", team: "Mobile" },
  approved: false,
  date_created: "2026-03-01T09:30:00.123Z",
  version: "v2",
  jwt_secret: "",
  certificate: "",
  portal_developer: {
    id: "5f1a2b3c4d5e6f7081920004",
    email: "ada@example.org",
    date_created: "2026-02-11T08:00:00Z",
    inactive: false,
    org_id: "5f1a2b3c4d5e6f7081920000",
    keys: {},
    subscriptions: {},
    fields: { Name: "Ada" },
    nonce: "",
    sso_key: "",
    oauth_clients: {},
    password_max_days: 0,
    password_updated: "2026-02-11T08:00:00Z",
    PWHistory: [],
    last_login_date: "2026-02-28T17:45:00Z",
  },
  catalogue_entry: entry,
  catalogues: [entry],
};
