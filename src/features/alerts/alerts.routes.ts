import { bind } from "../../http/routes.ts";
import * as contract from "./alerts.contract.ts";
import * as service from "./alerts.service.ts";

/** Alerts of ends: their rules, and why something was told or was not. */
export const alertRoutes = [
  bind(contract.getAlertRules, (ctx) => service.getRules(ctx)),
  bind(contract.setAlertRules, (ctx, { body }) => service.putRules(ctx, body)),
  bind(
    contract.getCertificateAlerts,
    (ctx, { params }) => service.report(ctx, "certificate", params.id),
  ),
  bind(
    contract.muteCertificate,
    (ctx, { params, body }) => service.mute(ctx, "certificate", params.id, body),
  ),
  bind(
    contract.unmuteCertificate,
    (ctx, { params }) => service.unmute(ctx, "certificate", params.id),
  ),
  bind(contract.getKeyAlerts, (ctx, { params }) => service.report(ctx, "key", params.key_id)),
  bind(
    contract.muteKey,
    (ctx, { params, body }) => service.mute(ctx, "key", params.key_id, body),
  ),
  bind(contract.unmuteKey, (ctx, { params }) => service.unmute(ctx, "key", params.key_id)),
];
