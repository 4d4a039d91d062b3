/** What a plan decides about the calls of its keys. Numbers of 0 and below set no limit. */
export interface PlanRules {
  id: string;
  active: boolean;
  /** True: the plan is gone, and only its id is still known. */
  deleted: boolean;
  auth_type: string;
  /** Calls in each `per` seconds. */
  rate: number;
  per: number;
  /** Calls in each `quota_renewal_rate` seconds. */
  quota_max: number;
  quota_renewal_rate: number;
  /** The ids of the APIs that it opens; none: all of them. */
  access_rights: string[];
  /** Seconds that a key of this plan lives. */
  key_expires_in: number;
  tags: string[];
}
