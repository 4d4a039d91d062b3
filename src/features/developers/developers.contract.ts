import { z } from "zod";
import {
  freeForm,
  id,
  idOrEmpty,
  integer,
  json,
  record,
  text,
  timestamp,
} from "../../contract/values.ts";
import { NO_TIME } from "../../kernel/timestamps.ts";

/** Specification 2.4, "OAuth client". */
export const oauthClient = record({
  client_id: [idOrEmpty, ""],
  secret: [text, ""],
  redirect_uri: [text, ""],
  app_description: [text, ""],
  use_case: [text, ""],
  date_created: [timestamp, NO_TIME],
});

const members = {
  id: [idOrEmpty, ""],
  email: [z.string().max(320), ""],
  date_created: [timestamp, NO_TIME],
  inactive: [z.boolean(), false],
  org_id: [text, ""],
  keys: [z.record(id, z.array(id)), {}],
  subscriptions: [z.record(id, id), {}],
  fields: [freeForm, {}],
  nonce: [text, ""],
  sso_key: [text, ""],
} as const;

const laterMembers = {
  password_max_days: [integer, 0],
  password_updated: [timestamp, NO_TIME],
  PWHistory: [z.array(json), []],
  last_login_date: [timestamp, NO_TIME],
} as const;

const whole = record({
  ...members,
  oauth_clients: [z.record(id, z.array(oauthClient.output)), {}],
  ...laterMembers,
}).output;

/**
 * Specification 2.4. `input` is a developer as a client embeds it, `whole` one as it is kept, and
 * `output` one as it is shown: `oauth_clients` is left out where there are none.
 */
export const developer = {
  input: record({
    ...members,
    oauth_clients: [z.record(id, z.array(oauthClient.input)), {}],
    ...laterMembers,
  }).input.meta({ id: "DeveloperInput" }),
  whole,
  output: whole.extend({
    oauth_clients: whole.shape.oauth_clients.optional().meta({
      description: "Left out where the developer has none.",
    }),
  }).meta({ id: "ClassicDeveloper" }),
};

/** Whether an address is confirmed. */
export const emailState = z.enum(["proved", "unproved", "reached", "agreed"]).meta({
  description:
    "`proved`: the address is theirs. After a change it is `unproved`; `reached`, once the mailed link was opened; `agreed`, once the previous address, or a person with `approve`, confirmed. Both make it `proved`. Until then no one-time link is mailed to it.",
});
