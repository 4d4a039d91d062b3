import { bind, withNextPage } from "../../http/routes.ts";
import { marked } from "../../kernel/csv.ts";
import * as contract from "./jobs.contract.ts";
import * as service from "./jobs.service.ts";
import { resultOf, takeLinks } from "./job-result.service.ts";

/** Many decisions in one job; the word `selection` stands before `/{id}`. */
export const jobRoutes = [
  bind(
    contract.startJob,
    (ctx, { body, idempotency }) => service.start(ctx, body, idempotency),
  ),
  bind(contract.listJobs, async (ctx, call) => {
    const page = await service.list(ctx, call.query);
    return withNextPage(call, page, page.next_cursor);
  }),
  bind(contract.countSelection, (ctx, { query }) => service.count(ctx, query)),
  bind(contract.getJob, (ctx, { params }) => service.get(ctx, params.id)),
  bind(contract.stopJob, (ctx, { params }) => service.stop(ctx, params.id)),
  bind(
    contract.getJobResult,
    async (ctx, { params, query }) => marked(await resultOf(ctx, params.id), query.bom),
  ),
  bind(
    contract.takeJobLinks,
    async (ctx, { params, query }) => marked(await takeLinks(ctx, params.id), query.bom),
  ),
];
