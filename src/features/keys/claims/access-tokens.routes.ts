import { bind } from "../../../http/routes.ts";
import {
  issueAccessCredential,
  rotateAccessCredential,
} from "../../access/access-tokens.contract.ts";
import * as service from "./access-tokens.service.ts";

/** Access tokens of people, where a claim may hand them over. */
export const accessTokenRoutes = [
  bind(
    issueAccessCredential,
    (ctx, call) =>
      service.issue(
        ctx,
        call.params.id,
        call.body,
        ctx.clientAddresses.exactly(call),
        call.idempotency,
      ),
  ),
  bind(
    rotateAccessCredential,
    (ctx, call) => service.rotate(ctx, call.params.id, call.body, call.idempotency),
  ),
];
