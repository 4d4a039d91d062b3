import { may } from "../api/session.ts";
import { lazily } from "./lazily.tsx";

const MessageHistoryPanel = lazily(() => import("./message-history-panel.tsx"));

/**
 * Who was told of a thing, when, and what did not arrive; nothing for who may not see deliveries.
 */
export function MessageHistory({ of }: { of: string }) {
  return may("admin:read") ? <MessageHistoryPanel of={of} /> : null;
}
