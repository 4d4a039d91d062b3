import type { ComponentChildren } from "preact";
import { codeOf, wordsOf } from "../api/client.ts";
import { Button } from "./button.tsx";

/** There is nothing: says why, and what to do next. */
export function Empty({ title, children, action }: {
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children && <p class="state-text">{children}</p>}
      {action}
    </div>
  );
}

/** It could not be read. */
export function Problem({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div class="state" role="alert">
      <p class="state-title">This could not be loaded</p>
      <p class="state-text">{wordsOf(error)}</p>
      <Button onClick={onRetry}>Try again</Button>
    </div>
  );
}

/**
 * It is being read: bars where lines will stand. Seen only after a moment, so that quick answers
 * don't flicker.
 */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div class="state is-loading" aria-busy="true">
      <span class="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, index) => <span key={index} class="bone" />)}
    </div>
  );
}

/** Stands for content that is not read yet: a loading sign, or the reason for a failure. */
export function Unread({ of: { error, refetch }, lines, gone }: {
  of: { error: unknown; refetch: () => unknown };
  lines?: number;
  /** The words for a thing that does not exist. */
  gone?: readonly [title: string, why: string];
}) {
  if (error === null) return <Loading lines={lines} />;
  return gone && codeOf(error)?.endsWith("not_found")
    ? <Empty title={gone[0]}>{gone[1]}</Empty>
    : <Problem error={error} onRetry={() => void refetch()} />;
}
