import { permissionsOf } from "../../contract/permissions.ts";
import { may } from "../../calls/principal.ts";
import { type AnyCall, describeIssues } from "../../http/call.ts";
import { Failure } from "../../kernel/failure.ts";
import type { Storage, Transaction } from "../../storage/storage.ts";
import type { ConfigContext, Doing, Members } from "./kind.ts";

/** A transaction that an operation would have committed. */
interface Step {
  readonly transaction: string;
  readonly input: Members;
}

/** Thrown in the place of the first commit: nothing behind it is done. */
class Collected {
  constructor(readonly step: Step) {}
}

/** A step, and whether its operation asks for a person who has just signed in. */
interface CollectedStep extends Step {
  readonly needsFreshSignIn: boolean;
}

/**
 * The transaction of a doing, prepared and judged by its own operation, which commits nothing.
 * Throws `access_denied` without the operation's permission, and what the operation throws before
 * its transaction.
 */
export async function collect(
  ctx: ConfigContext,
  call: AnyCall,
  { operation, params = {}, body, unknown }: Doing,
): Promise<CollectedStep> {
  const { permission, permissionBesides, needsFreshSignIn = false } = operation;
  const needed = permissionsOf(permission);
  if (
    !needed.some((one) => may(ctx.principal, one)) ||
    permissionBesides && !may(ctx.principal, permissionBesides)
  ) {
    const message = `access denied: ${operation.summary} takes the permission ${
      [needed.join(" or "), permissionBesides ?? []].flat().join(" and ")
    }.`;
    throw new Failure("access_denied", { message });
  }
  const storage: Storage = Object.create(ctx.storage, {
    commit: {
      value: (transaction: Transaction<unknown, unknown>, input: unknown) => {
        // as: the input of every transaction is an object.
        throw new Collected({ transaction: transaction.id, input: input as Members });
      },
    },
  });
  // A context may have its members from its prototype.
  const collecting: ConfigContext = Object.create(ctx, { storage: { value: storage } });
  try {
    await operation.serve(collecting, {
      ...call,
      method: operation.method,
      params,
      query: parsed(operation.query, {}),
      body: withUnknown(
        parsed(operation.body, typeof body === "function" ? body() : body),
        unknown,
      ),
      rawBody: new Uint8Array(),
      headers: new Headers(),
      idempotency: null,
    });
  } catch (error) {
    if (error instanceof Collected) return { ...error.step, needsFreshSignIn };
    throw error;
  }
  throw new Error(`${operation.id} commits nothing`);
}

function parsed(schema: Doing["operation"]["body"], value: unknown): unknown {
  if (typeof schema !== "object") return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = describeIssues(result.error.issues);
  throw new Failure("invalid_input", { message: details[0] ?? "", details });
}

function withUnknown(body: unknown, unknown: Members | undefined): unknown {
  return typeof body === "object" && body !== null && unknown ? { ...unknown, ...body } : body;
}
