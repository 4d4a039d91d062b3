import type { Sent } from "./key-requests.ts";

const limits = { rate: 1000, per: 60, quota_max: -1, quota_renewal_rate: 3600 };
const noPartitions = { quota: false, rate_limit: false, acl: false, per_api: false };

function rights(api_id: string, more: Sent = {}): Record<string, Sent> {
  const members = { api_name: `API ${api_id}`, api_id, versions: ["Default"], allowed_urls: [] };
  return { [api_id]: { ...members, limit: null, allowance_scope: "", ...more } };
}

/**
 * Members that bootstrap scripts, sync tools and dashboards of several releases send, beside those
 * that we know.
 */
const byRelease = {
  first: { hmac_enabled: false, last_updated: "1587614037", partitions: noPartitions },
  throttled: { throttle_interval: 0, throttle_retry_limit: 0, meta_data: {} },
  graphql: {
    graphql_enabled: false,
    max_query_depth: -1,
    auth_types: ["jwt"],
    state: "active",
    hmac_enabled: false,
    enable_http_signature_validation: false,
    post_expiry_action: "",
    post_expiry_grace_period: 0,
    smoothing: null,
    access_rights_array: [{ api_id: "a", limit: null, field_access_rights: [] }],
  },
};

/** Plans as clients send them, whole: each with other members. */
export const clientPlans: readonly Sent[] = [
  {
    auth_type: "authToken",
    _id: "5ead7120575961000181867f",
    id: "5ea11155f4f8460001a9389e",
    org_id: "5e9d9544a1dcd60001d0ed20",
    ...limits,
    rate: 2,
    per: 5,
    quota_max: 500,
    access_rights: rights("a1"),
    active: true,
    name: "Rate limit",
    is_inactive: false,
    date_created: "2020-04-23T03:53:57.116Z",
    tags: [],
    key_expires_in: 0,
    ...byRelease.first,
    ...byRelease.throttled,
  },
  {
    _id: "5ead71205759610001818680",
    id: "throttled",
    name: "Throttled",
    active: true,
    ...limits,
    access_rights: rights("a1"),
    is_inactive: false,
    tags: ["a", "b"],
    throttle_interval: 10,
    throttle_retry_limit: 2,
    hmac_enabled: true,
    meta_data: { tier: "gold", nested: { list: [1, null, { deep: null }], text: "ü\u0001" } },
  },
  {
    _id: "5ead71205759610001818681",
    id: "quota-alone",
    name: "Quota",
    ...limits,
    quota_max: 2,
    active: true,
    is_inactive: false,
    access_rights: rights("a2"),
    partitions: { quota: true, rate_limit: false, acl: false, complexity: false, per_api: false },
  },
  {
    auth_type: "keyless",
    _id: "5ead7120575961000181867e",
    id: "5ea2de4a62daf30001a2f0b8",
    name: "Pet store",
    ...limits,
    access_rights: rights("a3"),
    active: true,
    is_inactive: false,
    tags: [],
    key_expires_in: 0,
    ...byRelease.first,
  },
  {
    auth_type: "jwt",
    _id: "5ead72955759610001818688",
    id: "5ead72955759610001818688",
    name: "JWT",
    ...limits,
    access_rights: rights("a4"),
    ...byRelease.graphql,
  },
  {
    auth_type: "jwt",
    _id: "5ead73565759610001818689",
    name: "JWT, restricted",
    ...limits,
    access_rights: rights("a4", { allowed_urls: [{ url: "/anything", methods: ["GET"] }] }),
    ...byRelease.throttled,
  },
  {
    _id: "61f2b294753d7a00016f9faf",
    name: "All partitions",
    ...limits,
    ...byRelease.graphql,
    partitions: { quota: true, rate_limit: true, complexity: false, acl: true, per_api: false },
    access_rights: rights("a5", { restricted_types: [], field_access_rights: [] }),
  },
  {
    name: "By names of APIs",
    active: true,
    apis: ["proxy", "api"],
    rate: -1,
    per: 1,
    quota_max: -1,
    quota_renewal_rate: 60,
    throttle_interval: -1,
    tags: [],
  },
  {
    id: "inactive plan / of a client",
    name: "Inactive",
    is_inactive: true,
    active: false,
    ...limits,
    access_rights: {},
    state: "draft",
  },
  {
    name: "Per API",
    ...limits,
    partitions: { ...noPartitions, per_api: true },
    access_rights: rights("a6", {
      limit: { rate: 5, per: 60, throttle_interval: -1, quota_max: 10, set_by: "" },
      allowance_scope: "a6",
    }),
  },
  {
    name: "Complexity",
    ...limits,
    max_query_depth: 4,
    graphql_enabled: true,
    partitions: { quota: false, rate_limit: false, acl: false, complexity: true },
    graphql_access_rights: null,
  },
  {
    name: "Members of no release",
    ...limits,
    x: 1.5,
    "": "",
    "a b": [],
    toString: "t",
    valueOf: { hasOwnProperty: false },
    yes: true,
    none: null,
    length: 0,
  },
];
