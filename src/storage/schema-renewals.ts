import { integer, type Tables, text } from "./columns.ts";

/** By what certificates are known as renewals of others, and how they are counted by name. */
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
  /**
   * How many certificates of each kind stand in a range of the order by names. It begins behind the
   * place that names it; the first is named by "" and 0. The wide ones are level 0; those of level
   * 1 lie within them.
   */
  certificate_name_ranges: {
    org_id: text,
    level: integer,
    key: text,
    position: integer,
    n0: integer,
    n1: integer,
    n2: integer,
    n3: integer,
    /** 0: nothing in it is counted yet; it is the last of its level. */
    counted: integer,
  },
} satisfies Tables;
