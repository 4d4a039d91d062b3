import { bind } from "../../http/routes.ts";
import * as contract from "./invitations.contract.ts";
import * as service from "./invitations.service.ts";

/** Who is invited to sign up at the developer's pages. */
export const developerInvitationRoutes = [
  bind(contract.listDeveloperInvitations, async (ctx) => ({ data: await service.list(ctx) })),
  bind(contract.inviteDeveloper, (ctx, { body }) => service.invite(ctx, body.email)),
  bind(contract.withdrawDeveloperInvitation, async (ctx, { params }) => {
    await service.withdraw(ctx, params.id);
    return { withdrawn: true as const };
  }),
];
