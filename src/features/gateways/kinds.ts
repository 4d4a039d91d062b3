import type { ServiceContext } from "../../calls/context.ts";
import { type GatewayRow, placeOfSecret } from "./gateway.ts";
import { GatewayAway, type Kind } from "./kind.ts";

/** What a gateway is talked to by. Throws GatewayAway where its secret is lost. */
export async function kindOf(
  { outbound, sealer }: Pick<ServiceContext, "outbound" | "sealer">,
  gateway: GatewayRow,
): Promise<Kind> {
  const { org_id, url, secret: sealed } = gateway;
  const place = placeOfSecret(gateway);
  if (sealed === null || !sealer.canOpen(place, sealed)) {
    throw new GatewayAway("its secret was lost with the sealing key: set it anew");
  }
  // Loaded with the first gateway: a desk without one needs none of it.
  const [{ TykGateway }, { TykCalls }] = await Promise.all([
    import("./tyk/tyk-gateway.ts"),
    import("./tyk/tyk-calls.ts"),
  ]);
  return new TykGateway(
    new TykCalls(outbound, { url, secret: sealer.open(place, sealed) }),
    org_id,
  );
}
