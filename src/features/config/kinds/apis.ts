import { Buffer } from "node:buffer";
import { z } from "zod";
import { visibilitiesOf } from "../../plans/catalogue/api-visibilities.store.ts";
import { createApi, deleteApi, editApi } from "../../plans/catalogue/apis.operations.ts";
import { apisOf, describe, nameByPlans } from "../../plans/catalogue/catalogue-api.ts";
import { listEntries } from "../../plans/catalogue/catalogue.store.ts";
import { createDocument, updateDocument } from "../../plans/catalogue/documents.operations.ts";
import { findDocument } from "../../plans/catalogue/documents.store.ts";
import { readPlan } from "../../plans/plans.store.ts";
import { everyPlan } from "../names.ts";
import { type At, type Doing, type Kind, type Members, type Present, shapeOf } from "../kind.ts";

/** A document in a declaration, as text instead of base64. */
const document = z.strictObject({
  type: z.string().max(64).meta({ description: "As the portal shows it: `swagger` or `openapi`." }),
  text: z.string().max(5_000_000).meta({ description: "The document itself." }),
});

/** APIs of the catalogue, with their documents. */
export const apis: Kind = {
  name: "apis",
  permission: "plans",
  noun: "API",
  schema: z.strictObject({ ...shapeOf(createApi), document }),
  needs: ["id"],
  fixed: ["id"],
  sets: ["plans", "invited", "invited_tags"],
  keyOf: ({ id, name }) => String(id ?? name),
  async read({ ctx, names }) {
    const { storage: { reader }, principal: { org_id } } = ctx;
    const entries = await listEntries(reader, { org_id });
    const rights = new Map((await everyPlan(ctx)).flatMap((row) => {
      const plan = readPlan(row);
      return [[row.id, plan] as const, [row.given_id, plan] as const];
    }));
    const all = apisOf(entries, await visibilitiesOf(reader, org_id)).map(describe);
    const uses = Map.groupBy(all, ({ documentation }) => documentation);
    const found: Present[] = [];
    for (const { names: called, documentation, ...api } of all) {
      const { id, plans } = api;
      const byPlans = called.length > 1
        ? nameByPlans(id, plans.flatMap((plan) => rights.get(plan) ?? []))
        : undefined;
      const kept = documentation === ""
        ? undefined
        : await findDocument(reader, { org_id, id: documentation });
      const text = kept && Buffer.from(kept.documentation, "base64").toString("utf8");
      const isOwn = (uses.get(documentation)?.length ?? 0) === 1;
      found.push({
        id,
        key: id,
        members: {
          ...api,
          name: byPlans ?? api.name,
          plans: plans.map((plan) => names.plans.nameOf(plan)),
          ...kept ? { document: { type: kept.doc_type, text } } : { documentation },
        },
        own: { documentation: kept && isOwn ? documentation : "" },
      });
    }
    return found;
  },
  objectId: (key) => key,
  create({ names }, key, after) {
    const body = bodyOf(names, { ...after, id: key });
    return withDocument(key, after, (named) => [
      { operation: createApi, body: () => ({ ...body, ...named }) },
    ]);
  },
  change({ names }, { present, changed }) {
    const { id } = present;
    const body = bodyOf(names, changed);
    const edit = (named: Members, isNew: boolean): Doing[] =>
      Object.keys(body).length === 0 && !isNew
        ? []
        : [{ operation: editApi, params: { id }, body: () => ({ ...body, ...named }) }];
    return withDocument(id, changed, edit, present.own?.documentation);
  },
  remove: (_, { id }) => [{ operation: deleteApi, params: { id } }],
};

function bodyOf(names: At["names"], { document: _, plans, ...members }: Members): Members {
  if (!Array.isArray(plans)) return members;
  return { ...members, plans: plans.map((plan) => names.plans.idOf(String(plan))) };
}

/** The doings for an API with its document. `before`: the id of the one that it has. */
function withDocument(
  api_id: string,
  { document: sent }: Members,
  doings: (named: Members, isNew: boolean) => Doing[],
  before: unknown = "",
): Doing[] {
  if (sent === undefined) return doings({}, false);
  const { type, text } = document.parse(sent);
  const body = {
    api_id,
    doc_type: type,
    documentation: Buffer.from(text, "utf8").toString("base64"),
  };
  if (typeof before === "string" && before !== "") {
    return [{ operation: updateDocument, params: { id: before }, body }, ...doings({}, false)];
  }
  const named: { documentation?: unknown } = {};
  const made = (input: Members) => {
    // as: the input of `documents.add` has a document with its id.
    named.documentation = (input.document as Members).id;
  };
  return [{ operation: createDocument, body, made }, ...doings(named, true)];
}
