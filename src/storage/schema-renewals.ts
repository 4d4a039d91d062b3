import { integer, type Tables, text } from "./columns.ts";

/** By what certificates are known as renewals of others. */
export const renewalTables = {
  /** A set of alternative names that another holds, both by their hashes. */
  wider_names: {
    org_id: text,
    names: text,
    wider: text,
    /** How many names the wider set has. */
    size: integer,
  },
  /** What people say of two certificates: that one renews the other, or does not. */
  certificate_renewals: {
    org_id: text,
    fingerprint: text,
    /** The fingerprint of the one that renews it, or does not. */
    renewal: text,
    /** 1: it renews it; 0: it does not. */
    renews: integer,
    said_by: text,
    said_at: text,
  },
} satisfies Tables;
