import pg from "pg";

/**
 * Has a store's database note, as each commit is made, whether its server waits for the disk: by a
 * trigger that runs at the very end of a transaction.
 */
export async function watchCommits(url: string): Promise<void> {
  await query(
    url,
    `create table witnessed_commits (waits text not null);
    create function witness_commit() returns trigger language plpgsql as $$
    begin
      insert into witnessed_commits values (current_setting('synchronous_commit'));
      return null;
    end $$;
    create constraint trigger witness_commit after insert or update on commits
      deferrable initially deferred for each row execute function witness_commit()`,
  );
}

/** What the commits since then waited for, each value once. */
export async function witnessedCommits(url: string): Promise<string[]> {
  const rows = await query(url, "select distinct waits from witnessed_commits order by 1");
  return rows.map(({ waits }) => waits);
}

// deno-lint-ignore no-explicit-any -- rows of several shapes
async function query(url: string, text: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
