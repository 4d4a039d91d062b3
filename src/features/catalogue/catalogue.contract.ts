import { z } from "zod";
import { freeForm, idOrEmpty, integer, json, record, text } from "../../contract/values.ts";

const email = record({
  enabled: [z.boolean(), false],
  subject: [text, ""],
  body: [text, ""],
  sign_off: [text, ""],
  hide_token_data: [z.boolean(), false],
});

const EMPTY_EMAIL = email.input.parse({});

/** Both editions of a record that nests others: `pick` chooses which edition of these stands in it. */
type Edition = "input" | "output";

const emailCopy = (edition: Edition) =>
  record({
    welcome_email: [email[edition], EMPTY_EMAIL],
    key_email: [email[edition], EMPTY_EMAIL],
    reset_password_email: [email[edition], EMPTY_EMAIL],
  })[edition];

const EMPTY_EMAIL_COPY = emailCopy("input").parse({});

const mailOptions = (edition: Edition) =>
  record({
    mail_from_name: [text, ""],
    mail_from_email: [text, ""],
    email_copy: [emailCopy(edition), EMPTY_EMAIL_COPY],
  })[edition];

const EMPTY_MAIL_OPTIONS = mailOptions("input").parse({});

const config = (edition: Edition) =>
  record({
    id: [idOrEmpty, ""],
    org_id: [text, ""],
    signup_fields: [z.array(json), []],
    key_request_fields: [z.array(json), []],
    require_key_approval: [z.boolean(), false],
    redirect_on_key_request: [z.boolean(), false],
    redirect_to: [text, ""],
    enable_multi_selection: [z.boolean(), false],
    disable_login: [z.boolean(), false],
    disable_signup: [z.boolean(), false],
    disable_auto_login: [z.boolean(), false],
    catalogue_login_only: [z.boolean(), false],
    oauth_usage_limit: [integer, 0],
    email: [text, ""],
    mail_options: [mailOptions(edition), EMPTY_MAIL_OPTIONS],
    override: [z.boolean(), false],
    HashKeys: [z.boolean(), false],
  })[edition];

const EMPTY_CONFIG = config("input").parse({});

const entry = (edition: Edition) =>
  record({
    name: [text, ""],
    short_description: [text, ""],
    long_description: [text, ""],
    show: [z.boolean(), false],
    api_id: [idOrEmpty, ""],
    policy_id: [idOrEmpty, ""],
    documentation: [text, ""],
    version: [text, ""],
    is_keyless: [z.boolean(), false],
    config: [config(edition), EMPTY_CONFIG],
    fields: [freeForm, {}],
    auth_type: [text, ""],
  })[edition];

/** Specification 2.6, as sent and as shown. */
export const catalogueConfig = {
  input: config("input").meta({ id: "CatalogueConfigInput" }),
  output: config("output").meta({ id: "CatalogueConfig" }),
};

/** Specification 2.5, as sent and as shown. */
export const catalogueEntry = {
  input: entry("input").meta({ id: "CatalogueEntryInput" }),
  output: entry("output").meta({ id: "CatalogueEntry" }),
};
