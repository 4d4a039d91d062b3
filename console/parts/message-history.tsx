import { may } from "../api/session.ts";
import { lazily } from "./lazily.tsx";

const MessageHistoryPanel = lazily(() => import("./message-history-panel.tsx"));

/**
 * The messages about a thing, with their times and failures; nothing without the permission for
 * deliveries.
 */
export function MessageHistory({ of }: { of: string }) {
  return may("admin:read") ? <MessageHistoryPanel of={of} /> : null;
}
