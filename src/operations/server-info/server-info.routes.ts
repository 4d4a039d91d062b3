import { bind } from "../../http/routes.ts";
import { version } from "../../kernel/version.ts";
import { getServerInfo } from "./server-info.contract.ts";
import { describe } from "./server-info.service.ts";

/** What runs here. */
export const serverInfoRoutes = [bind(getServerInfo, (ctx) => describe(ctx, version))];
