import type { MemberNames } from "../../changes/known-members.ts";

/** The members of a plan that Keydesk knows, without a schema, which the writer does not load. */
export const planNames: MemberNames = {
  _id: true,
  id: true,
  name: true,
  active: true,
  is_inactive: true,
  rate: true,
  per: true,
  quota_max: true,
  quota_renewal_rate: true,
  access_rights: true,
  auth_type: true,
  tags: true,
  key_expires_in: true,
};
