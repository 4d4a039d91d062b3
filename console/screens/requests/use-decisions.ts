import { useRef } from "preact/hooks";
import { api, codeOf, decisionKey, wordsOf } from "../../api/client.ts";
import { COUNTS } from "../../api/counts.ts";
import {
  declineKeyRequest,
  getKeyRequest,
  reopenKeyRequest,
  withdrawOffer,
} from "../../api/endpoints.ts";
import type { PagedList } from "../../api/paged-list.ts";
import { queries } from "../../api/queries.ts";
import { announce } from "../../parts/announcer.tsx";
import { rowAfter } from "../../parts/bulk-selection.tsx";
import { relativeTime } from "../../parts/time.tsx";
import { toast } from "../../parts/toasts.tsx";
import { say } from "../../said.ts";
import { belongs, type Tab } from "./request-filters.ts";
import { type RequestDetail, type RequestRow, states, toRow } from "./request.ts";
import { useTitles } from "./use-titles.ts";

/** The decisions about requests. Each leaves list, counts and drawer as the server has it. */
export interface Decisions {
  /**
   * The rows go, and the toast takes it back. Gives where one goes on in the list of what waits.
   * Throws what kept one from being declined, but for another's decision, which a toast tells.
   */
  decline(rows: readonly RequestRow[], reason: string): Promise<string | undefined>;
  reopen(rows: readonly RequestRow[]): Promise<void>;
  /** Takes back what was offered. */
  withdraw(row: RequestRow): Promise<void>;
  /** Takes the newest decline back, while its toast would. */
  undo(): void;
  canUndo(): boolean;
  /** Shows what the server has made of a request. */
  settle(request: RequestDetail): void;
  /**
   * Asks the server what a request is by now, which its row says then; it stays where it stands.
   * Undefined: it is gone.
   */
  reread(id: string): Promise<RequestDetail | undefined>;
  /** Reads it again, and a toast says so. */
  renew(id: string): Promise<void>;
  /**
   * These were decided: they leave the tab where they no longer belong, and give where one goes on.
   */
  leave(ids: readonly string[]): string | undefined;
}

/** `select` moves to a row, `explain` asks for the reason of what was declined. */
export function useDecisions({ list, tab, select, explain }: {
  list: PagedList<RequestRow>;
  tab: Tab;
  select: (id: string | undefined) => void;
  explain: (declined: readonly RequestRow[]) => void;
}): Decisions {
  const titleOf = useTitles();
  const last = useRef<{ undo: () => void; close: () => void } | undefined>(undefined);

  const refresh = () => {
    void queries.invalidateQueries({ queryKey: COUNTS });
    void queries.invalidateQueries({ queryKey: ["key-requests"] });
  };

  const settle = (request: RequestDetail) => {
    queries.setQueryData(["key-requests", request.id], request);
    const row = toRow(request);
    if (belongs(tab, row.state) || list.indexOf(row.id) >= 0) list.replace(row);
    refresh();
  };

  const reread = async (id: string) => {
    try {
      const request = await api.call(getKeyRequest, { params: { id } });
      settle(request);
      return request;
    } catch {
      // Deleted, or out of reach: the list is what there is.
      refresh();
      return undefined;
    }
  };

  const renew = async (id: string) => {
    const request = await reread(id);
    if (request) toast({ text: newsOf(request) });
  };

  const leave = (ids: readonly string[]) => {
    const next = rowAfter(list, ids);
    list.remove(...ids);
    return next;
  };

  const reopen = async (rows: readonly RequestRow[]) => {
    try {
      for (const { id } of rows) {
        const request = await api.call(reopenKeyRequest, {
          params: { id },
          headers: decisionKey(),
        });
        queries.setQueryData(["key-requests", id], request);
        list.replace(toRow(request));
      }
      announce(rows.length === 1 ? "Reopened." : `${rows.length} reopened.`);
    } catch (error) {
      toast({ text: say`Not reopened. ${wordsOf(error)}`, kind: "bad" });
    }
    refresh();
  };

  const withdraw = async ({ id }: RequestRow) => {
    try {
      settle(await api.call(withdrawOffer, { params: { id } }));
      announce("Withdrawn.");
    } catch (error) {
      toast({ text: say`Not withdrawn. ${wordsOf(error)}`, kind: "bad" });
      refresh();
    }
  };

  const decline = async (rows: readonly RequestRow[], reason: string) => {
    const places = rows.map((row) => ({ row, index: list.indexOf(row.id) }))
      .sort((a, b) => a.index - b.index);
    try {
      const failed = await send(rows, reason, settle);
      for (const [, words] of failed) toast({ text: words, kind: "bad" });
      const done = places.filter(({ row }) => !failed.has(row.id));
      if (done.length === 0) return undefined;
      const next = tab === "pending" ? leave(done.map(({ row }) => row.id)) : undefined;
      announceDone(done, reason);
      return next;
    } catch (error) {
      if (!["already_decided", "precondition_failed"].includes(codeOf(error) ?? "")) throw error;
      await Promise.all(rows.map(({ id }) => renew(id)));
      return rows[0]?.id;
    } finally {
      refresh();
    }
  };

  const announceDone = (
    places: readonly { row: RequestRow; index: number }[],
    reason: string,
  ) => {
    const rows = places.map(({ row }) => row);
    const undo = () => {
      done.close();
      // Older toasts have an undo of their own.
      if (last.current === done) last.current = undefined;
      void reopen(rows).then(() => {
        for (const { row, index } of places) {
          if (index >= 0 && belongs(tab, "pending")) list.putBack(row, index);
        }
        select(rows[0]?.id);
      });
    };
    const [one] = rows;
    const text = rows.length === 1 && one
      ? say`Declined ${one.developer} · ${titleOf(one)}`
      : `Declined ${rows.length} requests`;
    const close = toast({
      text,
      actions: [
        { label: "Undo", run: undo },
        ...reason === "" ? [{ label: "Add reason", run: () => explain(rows) }] : [],
      ],
    });
    const done = { undo, close };
    last.current = done;
  };

  return {
    decline,
    reopen,
    withdraw,
    settle,
    reread,
    renew,
    leave,
    undo: () => last.current?.undo(),
    canUndo: () => last.current !== undefined,
  };
}

/** The news of a request that changed meanwhile. */
function newsOf({ state, decided_by_name, decided_at }: RequestDetail): string {
  if (state === "pending" || decided_at === null) {
    return "It was changed a moment ago. Look at it again before you decide.";
  }
  const by = decided_by_name ? say` by ${decided_by_name}` : "";
  return say`${states[state].text}${by} ${relativeTime(decided_at)}.`;
}

/** Declines one or several; gives what failed of several, in words. Throws for one. */
async function send(
  rows: readonly RequestRow[],
  reason: string,
  settle: (request: RequestDetail) => void,
): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  const [one] = rows;
  if (rows.length === 1 && one) {
    const headers = { ...decisionKey(), "if-match": `"${one.revision}"` };
    const body = { reason: reason || undefined };
    settle(await api.call(declineKeyRequest, { params: { id: one.id }, body, headers }));
    return failed;
  }
  const { decideSeen, whyNot } = await import("../../api/small-jobs.ts");
  const body = { kind: "decline", reason: reason || undefined } as const;
  for (const one of await decideSeen(rows, body, decisionKey())) {
    const name = rows.find((row) => row.id === one.id)?.developer ?? one.id;
    const why = whyNot(one);
    if (why) failed.set(one.id, say`${name} was not declined. ${why}`);
  }
  return failed;
}
