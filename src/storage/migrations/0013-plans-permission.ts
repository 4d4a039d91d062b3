import { type Compilable, sql } from "kysely";
import type { QueryBuilder } from "../statement.ts";

/**
 * Who administers may go on to change plans and to read the trail, which have permissions of their
 * own from here on. Nobody else gains anything: a credential with a narrower scope stays as narrow
 * as it is.
 */
export function plansPermissionSchema(db: QueryBuilder): Compilable[] {
  const administers = (column: string) => sql`' ' || ${sql.ref(column)} || ' ' like '% admin %'`;
  return [
    // A scope counts as far as its person holds it, so it goes first and looks at both.
    {
      compile: () =>
        sql`update access_tokens set scope = scope || ' plans audit'
          where ${administers("scope")} and exists (
            select 1 from users u where u.org_id = access_tokens.org_id
              and u.id = access_tokens.user_id and ${administers("u.permissions")})`.compile(db),
    },
    {
      compile: () =>
        sql`update users set permissions = permissions || ' plans audit'
          where ${administers("permissions")}`.compile(db),
    },
  ];
}
