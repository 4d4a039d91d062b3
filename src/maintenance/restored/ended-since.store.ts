import { sql } from "kysely";
import { all } from "../../storage/statement-functions.ts";

/**
 * The revocations in a store since a copy of it was made: the store is the database itself, the
 * copy is attached to it as `copy` (SQLite). Each statement names the columns that earlier releases
 * may lack; see `ended-since.ts`.
 */

/** An organisation, or an entry of its audit log, that the copy has and the store has not. */
export const notGoneOn = all((db) => ({
  compile: () =>
    sql<{ org_id: string }>`select o.id as org_id from copy.organisations as o
      where not exists (select 1 from main.organisations as s where s.id = o.id)
      union all
      select e.org_id from copy.audit_events as e
        where e.id = (select max(n.id) from copy.audit_events as n where n.org_id = e.org_id)
        and not exists (
          select 1 from main.audit_events as s where s.org_id = e.org_id and s.id = e.id
        )`.compile(db),
}));

/** A key that is more open in the copy. */
interface NarrowerKey {
  org_id: string;
  id: string;
  name: string;
  state: "active" | "suspended" | "revoked";
  was: "active" | "suspended";
  expires_at: string | null;
  at: string | null;
}

const keysBy = (column: "key_id" | "imported_as") =>
  all((db) => ({
    compile: () =>
      sql<NarrowerKey>`select c.org_id, c.key_id as id, c.mask as name, s.state, c.state as was,
        s.expires_at, s.state_changed_at as at
        from copy.credentials as c
        join main.credentials as s on s.org_id = c.org_id and s.${sql.ref(column)} = c.key_id
        where c.state <> 'revoked' and (
          (s.state <> c.state and s.state <> 'active')
          or (s.expires_at is not null and s.expires_at < coalesce(c.expires_at, '~'))
        )`.compile(db),
  }));

/** Keys that are revoked, suspended or end earlier in the store. */
export const narrowerKeys = keysBy("key_id");
/** The imported keys with fewer rights, which have another id since their first use. */
export const narrowerImportedKeys = keysBy("imported_as");

/** Access tokens that were revoked, end earlier, or may less in the store. */
export const narrowerTokens = all((db) => ({
  compile: () =>
    sql<{ org_id: string; id: string; name: string; at: string | null }>`select c.org_id, c.id,
      c.name, s.revoked_at as at
      from copy.access_tokens as c join main.access_tokens as s on s.org_id = c.org_id and s.id = c.id
      where c.revoked_at is null and (
        s.revoked_at is not null
        or (s.expires_at is not null and s.expires_at < coalesce(c.expires_at, '~'))
        or (s.scope is not null and s.scope <> coalesce(c.scope, ''))
        or (s.addresses is not null and s.addresses <> coalesce(c.addresses, ''))
      )`.compile(db),
}));

/** A person who may less in the store, or something else. */
export interface OtherPerson {
  org_id: string;
  id: string;
  name: string;
  deactivated_at: string | null;
  suspended_at: string | null;
  was_suspended_at: string | null;
  permissions: string;
  had: string;
  covers: string | null;
  covered: string | null;
}

/** People who were deactivated, suspended, or have other permissions or another scope. */
export const otherPeople = all((db) => ({
  compile: () =>
    sql<OtherPerson>`select c.org_id, c.id, c.name, s.deactivated_at, s.suspended_at,
      c.suspended_at as was_suspended_at, s.permissions, c.permissions as had, s.covers,
      c.covers as covered
      from copy.users as c join main.users as s on s.org_id = c.org_id and s.id = c.id
      where c.deactivated_at is null and (
        s.deactivated_at is not null
        or (s.suspended_at is not null and c.suspended_at is null)
        or s.permissions <> c.permissions
        or coalesce(s.covers, '') <> coalesce(c.covers, '')
      )`.compile(db),
}));

/** Developers who are inactive in the store, or no longer there. */
export const goneDevelopers = all((db) => ({
  compile: () =>
    sql<{ org_id: string; id: string }>`select c.org_id, c.id from copy.developers as c
      left join main.developers as s on s.org_id = c.org_id and s.id = c.id
      where c.inactive = 0 and (s.id is null or s.inactive = 1)`.compile(db),
}));

/** Developers' own tokens that the store has no more. */
export const goneDeveloperTokens = all((db) => ({
  compile: () =>
    sql<{ org_id: string; id: string; name: string; developer_id: string }>`select c.org_id, c.id,
      c.name, c.developer_id from copy.developer_tokens as c
      where not exists (
        select 1 from main.developer_tokens as s where s.org_id = c.org_id and s.id = c.id
      )`.compile(db),
}));

/** One-time links that were opened or withdrawn in the store. */
export const closedOneTimeLinks = all((db) => ({
  compile: () =>
    sql<{ org_id: string; id: string; at: string | null }>`select c.org_id, c.id, s.closed_at as at
      from copy.claims as c join main.claims as s on s.org_id = c.org_id and s.id = c.id
      where c.state = 'open' and s.state <> 'open'`.compile(db),
}));

/** The number of things that come back and can be revoked only by their owners. */
export const otherWaysIn = all((db) => ({
  compile: () =>
    sql<{ what: string; n: number }>`select 'passwords of developers' as what, count(*) as n
        from copy.developers as c join main.developers as s on s.org_id = c.org_id and s.id = c.id
        where c.password_hash is not null and s.password_hash is not c.password_hash
      union all select 'plans switched off or deleted since', count(*)
        from copy.plans as c join main.plans as s on s.org_id = c.org_id and s.id = c.id
        where c.deleted_at is null and json_extract(c.document, '$.active') is not 0
          and (s.deleted_at is not null or json_extract(s.document, '$.active') = 0)
      union all select 'keys with the plans or conditions that they had', count(*)
        from copy.credentials as c
        join main.credentials as s on s.org_id = c.org_id and s.key_id = c.key_id
        where s.state = c.state and c.state <> 'revoked'
          and (s.plans <> c.plans or s.conditions is not c.conditions)
      union all select 'roles', count(*) from copy.roles as c
        left join main.roles as s on s.org_id = c.org_id and s.id = c.id
        where s.id is null or s.terms is not c.terms
      union all select 'rules of temporary access', count(*) from copy.elevation_rules as c
        left join main.elevation_rules as s on s.org_id = c.org_id and s.id = c.id
        where s.id is null or s.terms is not c.terms
      union all select 'passkeys of people', count(*) from copy.passkeys as c where not exists (
        select 1 from main.passkeys as s where s.org_id = c.org_id and s.id = c.id)
      union all select 'linked accounts of people', count(*) from copy.person_identities as c
        where not exists (
          select 1 from main.person_identities as s where s.org_id = c.org_id and s.id = c.id)
      union all select 'linked accounts of developers', count(*)
        from copy.developer_identities as c where not exists (
          select 1 from main.developer_identities as s where s.org_id = c.org_id and s.id = c.id)`
      .compile(db),
}));
