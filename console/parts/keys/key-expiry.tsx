import { getKeyExpiry } from "../../api/endpoints.ts";
import { useCall } from "../../api/queries.ts";
import { Fact, Facts } from "../drawer.tsx";
import { Time } from "../time.tsx";

/** The key's end as it is, and as it would be after a rotation or with other plans. */
export function ExpiryFacts({ keyId, plans, after }: {
  keyId: string;
  /** The plans that it would be given; undefined: its own. */
  plans?: readonly string[] | undefined;
  after: "rotation" | "plans";
}) {
  const named = plans?.join(",");
  const { data } = useCall(["keys", keyId, "expiry", named ?? ""], getKeyExpiry, {
    params: { key_id: keyId },
    query: named ? { plans: named } : {},
  });
  if (!data) return null;
  return (
    <div class="boxed">
      <Facts>
        <Fact name="Expires now">
          <Time at={data.expires_at} />{" "}
          {data.is_chosen && <span class="muted">chosen by hand</span>}
        </Fact>
        <Fact name={after === "rotation" ? "The fresh key expires" : "Expires then"}>
          <Time at={after === "rotation" ? data.after_rotation : data.with_plans} />
        </Fact>
      </Facts>
    </div>
  );
}
