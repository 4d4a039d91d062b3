import type { z } from "zod";
import { Link } from "wouter-preact";
import type { managedConfig } from "../../src/features/config/config.contract.ts";
import { getManagedConfig } from "../api/config-endpoints.ts";
import { useCall } from "../api/queries.ts";
import { say } from "../said.ts";

/** A thing that a file may manage. */
export interface ManagedThing {
  /** The member of a file. */
  kind: string;
  /** The audit log's id of it; absent: an organisation has one. */
  id?: string;
  /** A part of the things on the screen, if the file manages no more than that. */
  what?: string;
}

/** All that files manage, and the rule for others' changes of it. */
export type ManagedConfig = z.output<typeof managedConfig>;

/** Reads it once for every notice of a minute. `staleTime`: 0 for a page of its own. */
export function useManagedConfig(staleTime = 60_000) {
  return useCall(["config", "managed"], getManagedConfig, {}, { staleTime });
}

/** The notice, once it is known that a file manages the thing. */
export default function ManagedNotice({ kind, id = "", what }: ManagedThing) {
  const { data } = useManagedConfig();
  const found = data?.data.find((one) => one.kind === kind && one.id === id);
  if (!data || !found) return null;
  return (
    <p class="notice managed">
      <span>
        {what ? say`${what} is managed` : "Managed"} by{" "}
        <b>{found.source}</b>. Change it in the file;{" "}
        {data.changes === "refuse" ? "changes here are refused." : "changes here are drift."}
        {found.drifted_at !== null && (
          <>
            {" "}
            <Link class="text-link" href="/settings?show=config">It differs from the file</Link>
          </>
        )}
      </span>
    </p>
  );
}
