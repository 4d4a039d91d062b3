import type { RequestContext } from "../../calls/context.ts";
import type { WithVerifier } from "../../features/verification/verifier.ts";
import { bindFor } from "../../http/routes.ts";
import { version } from "../../kernel/version.ts";
import type { WithNode } from "../nodes/this-node.ts";
import { getServerInfo } from "./server-info.contract.ts";
import { describe } from "./server-info.service.ts";

const bind = bindFor<RequestContext & WithNode & WithVerifier>();

/** What runs here. */
export const serverInfoRoutes = [bind(getServerInfo, (ctx) => describe(ctx, version))];
