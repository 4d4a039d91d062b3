/**
 * The members that Keydesk knows of what portals keep here, without their schemas, which the writer
 * does not load.
 */
import type { MemberNames } from "../../../changes/known-members.ts";

const mail: MemberNames = {
  enabled: true,
  subject: true,
  body: true,
  sign_off: true,
  hide_token_data: true,
};

/** Of a portal's configuration. */
export const configurationNames: MemberNames = {
  id: true,
  org_id: true,
  signup_fields: true,
  key_request_fields: true,
  require_key_approval: true,
  redirect_on_key_request: true,
  redirect_to: true,
  enable_multi_selection: true,
  disable_login: true,
  disable_signup: true,
  disable_auto_login: true,
  catalogue_login_only: true,
  oauth_usage_limit: true,
  email: true,
  mail_options: {
    mail_from_name: true,
    mail_from_email: true,
    email_copy: { welcome_email: mail, key_email: mail, reset_password_email: mail },
  },
  override: true,
  HashKeys: true,
};

/** Of a catalogue entry. */
export const entryNames: MemberNames = {
  name: true,
  short_description: true,
  long_description: true,
  show: true,
  api_id: true,
  policy_id: true,
  documentation: true,
  version: true,
  is_keyless: true,
  config: configurationNames,
  fields: true,
  auth_type: true,
};
