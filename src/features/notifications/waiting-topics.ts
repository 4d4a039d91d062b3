/** Topics about requests that wait for approvers: gathered, and left out once they are decided. */
const WAITING: readonly string[] = [
  "key_request.created",
  "key_request.reminded",
  "key_request.approval_restarted",
  "key_request.assigned",
  "key_request.step_approved",
  "key_request.expires_soon",
];

/** Whether a message of this topic tells approvers what waits for them. */
export function isOfWaiting(topic: string): boolean {
  return WAITING.includes(topic);
}
