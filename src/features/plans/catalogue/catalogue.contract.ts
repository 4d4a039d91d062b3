import { z } from "zod";
import { freeForm, idOrEmpty, integer, json, record, text } from "../../../contract/values.ts";

const email = record({
  enabled: [z.boolean(), false],
  subject: [text, ""],
  body: [text, ""],
  sign_off: [text, ""],
  hide_token_data: [z.boolean(), false],
});

const EMPTY_EMAIL = email.input.parse({});

/** The editions of a record that nests others: the same edition of these is in it. */
type Edition = "input" | "output" | "openInput" | "openOutput";

const emailCopy = <E extends Edition>(edition: E) =>
  record({
    welcome_email: [email[edition], EMPTY_EMAIL],
    key_email: [email[edition], EMPTY_EMAIL],
    reset_password_email: [email[edition], EMPTY_EMAIL],
  })[edition];

const EMPTY_EMAIL_COPY = emailCopy("input").parse({});

const mailOptions = <E extends Edition>(edition: E) =>
  record({
    mail_from_name: [text, ""],
    mail_from_email: [text, ""],
    email_copy: [emailCopy(edition), EMPTY_EMAIL_COPY],
  })[edition];

const EMPTY_MAIL_OPTIONS = mailOptions("input").parse({});

const config = <E extends Edition>(edition: E) =>
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

const entry = <E extends Edition>(edition: E) =>
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

/** Specification 2.6, as sent and as shown; open where it is the portal's own. */
export const catalogueConfig = {
  input: config("input").meta({ id: "CatalogueConfigInput" }),
  output: config("output").meta({ id: "CatalogueConfig" }),
  openInput: config("openInput"),
  openOutput: config("openOutput").meta({ id: "PortalConfiguration" }),
};

/** Specification 2.5, as sent and as shown; open where it is the live catalogue's. */
export const catalogueEntry = {
  input: entry("input").meta({ id: "CatalogueEntryInput" }),
  output: entry("output").meta({ id: "CatalogueEntry" }),
  openInput: entry("openInput"),
  openOutput: entry("openOutput").meta({ id: "LiveCatalogueEntry" }),
};
