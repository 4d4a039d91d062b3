import { useRef } from "preact/hooks";
import { listKeys } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import AtGateways from "../../parts/gateways/at-gateways.tsx";
import type { RequestDetail } from "./request.ts";

/** Keys of the developer that are looked through for those of the request. */
const MOST = 50;

/**
 * The state of an approved request's keys at the gateways; nothing if none of them waits, or no
 * gateway is synced.
 */
export default function IssuedKeys({ of: { id, by_user } }: { of: RequestDetail }) {
  const { data } = useCall(["keys", "of-request", id], listKeys, {
    query: { developer: by_user, limit: MOST },
  }, { gcTime: 30_000 });
  // A key that waited at the first look stays in view once it is at the gateway.
  const shown = useRef(new Set<string>()).current;
  for (const { key_id, key_request_id, state, at_gateways } of data?.data ?? []) {
    const isIts = key_request_id === id && state === "active";
    if (isIts && at_gateways.length > 0) shown.add(key_id);
  }
  return (
    <>
      {[...shown].map((key_id) => (
        <AtGateways key={key_id} id={key_id} isActive onRotate={undefined} />
      ))}
    </>
  );
}
