import { bindFor, ifMatchOf, withNextPage } from "../../http/routes.ts";
import * as contract from "./people.contract.ts";
import * as service from "./people.service.ts";

const bind = bindFor<service.PeopleContext>();

/** People. */
export const peopleRoutes = [
  bind(contract.listPeople, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(contract.listUsers, (ctx, { query }) => service.listUsers(ctx, query.p)),
  bind(
    contract.createPerson,
    (ctx, call) => service.create(ctx, call.body, call.idempotency),
  ),
  bind(contract.getPerson, (ctx, { params }) => service.get(ctx, params.id)),
  bind(
    contract.updatePerson,
    (ctx, call) => service.update(ctx, call.params.id, call.body, ifMatchOf(call)),
  ),
  bind(
    contract.deletePerson,
    (ctx, call) => service.remove(ctx, call.params.id, ifMatchOf(call)),
  ),
  bind(contract.suspendPerson, (ctx, { params }) => service.suspend(ctx, params.id)),
  bind(contract.resumePerson, (ctx, { params }) => service.resume(ctx, params.id)),
];
