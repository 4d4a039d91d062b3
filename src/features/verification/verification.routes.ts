import { bindFor } from "../../http/routes.ts";
import { askDoor } from "./explain.contract.ts";
import * as explain from "./explain.service.ts";
import { forwardAuth, verifyKey } from "./verification.contract.ts";
import * as service from "./verification.service.ts";
import type { VerificationContext } from "./verifier.ts";

const bind = bindFor<VerificationContext>();

/** How the endpoints of verification are served. */
export const verificationRoutes = [
  bind(verifyKey, (ctx, call) => service.verifyKey(ctx, call.body, call.deadline, call.headers)),
  bind(forwardAuth, (ctx, call) => service.forwardAuth(ctx, call)),
  bind(askDoor, (ctx, call) => explain.askDoor(ctx, call.body)),
];
