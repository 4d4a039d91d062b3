import { everyCertificate } from "../features/certificates/certificate-stream.ts";
import { select } from "../features/certificates/selection.ts";
import * as renewals from "../features/certificates/certificate-renewals.service.ts";
import * as service from "../features/certificates/certificates.service.ts";
import { fingerprintOf } from "../features/certificates/certificate.ts";
import type { ExportFormat } from "../features/certificates/export.ts";
import type { DeskCall } from "../desk.ts";
import { Failure } from "../kernel/failure.ts";
import { asOperator } from "./as-operator.ts";
import { type NarrowingOptions, toQuery } from "./certs-query.ts";
import { beginsWith, startOf } from "./named.ts";
import { fileProblem, OperatorError } from "./operator-error.ts";
import { print } from "./standard-output.ts";
import { terminal } from "./terminal.ts";

/** `keydesk certs export`. */
export async function exportFile(
  file: string | undefined,
  options: NarrowingOptions & { format: ExportFormat },
): Promise<void> {
  await asOperator(async (ctx) => {
    const query = toQuery(options, ctx.clock.now());
    const { body: pieces } = await service.exportAll(ctx, options.format, query);
    if (file === undefined) {
      for await (const piece of pieces) await print(piece);
      return;
    }
    const draft = `${file}.partial`;
    try {
      using out = await Deno.open(draft, { write: true, create: true, truncate: true });
      for await (const piece of pieces) {
        const bytes = new TextEncoder().encode(piece);
        for (let done = 0; done < bytes.length;) done += await out.write(bytes.subarray(done));
      }
      await out.sync();
    } catch (error) {
      throw fileError(file, error);
    }
    await Deno.rename(draft, file);
  });
}

/** `keydesk certs rm`. */
export async function removeCertificates(
  ids: readonly string[],
  options: { json?: boolean },
): Promise<void> {
  await asOperator(async (ctx) => {
    let missing = 0;
    for (const word of ids) {
      const fingerprint = await wholeFingerprint(ctx, word);
      const id = fingerprint === undefined ? word : ctx.principal.org_id + fingerprint;
      try {
        await service.remove(ctx, id);
        if (options.json) await print(`${JSON.stringify({ id, deleted: true })}\n`);
        else terminal().err(`Certificate ${id} is deleted.`);
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== "certificate_not_removed") throw error;
        terminal().err(`${word}: there is no such certificate`);
        missing++;
      }
    }
    if (missing > 0) throw new OperatorError(`${missing} of ${ids.length} not found`);
  });
}

/** `keydesk certs renewal`. */
export async function sayRenewal(
  word: string,
  options: { by?: string; not?: string; forget?: string; json?: boolean },
): Promise<void> {
  await asOperator(async (ctx) => {
    const idOf = async (one: string) => {
      const fingerprint = await wholeFingerprint(ctx, one);
      if (fingerprint === undefined) {
        throw new OperatorError(`${one}: there is no such certificate`);
      }
      return ctx.principal.org_id + fingerprint;
    };
    const id = await idOf(word);
    const other = options.by ?? options.not ?? options.forget;
    if (other !== undefined) {
      const renews = options.by !== undefined ? true : options.not !== undefined ? false : null;
      await renewals.setRenewal(ctx, id, { certificate: await idOf(other), renews });
    }
    const { renewed_by, says } = await renewals.renewalOf(ctx, id);
    if (options.json) await print(`${JSON.stringify({ id, renewed_by })}\n`);
    else if (renewed_by === null) await print("No certificate renews it.\n");
    else await print(`It is renewed by ${renewed_by}.${says}\n`);
  });
}

/**
 * The fingerprint that a word is, or is the beginning of; undefined where it is none. Throws
 * OperatorError where several begin so, with all of them.
 */
async function wholeFingerprint(ctx: DeskCall, word: string): Promise<string | undefined> {
  const whole = fingerprintOf(ctx.principal.org_id, word) ?? word;
  if (/^[0-9a-f]{64}$/.test(whole)) return whole;
  const start = startOf(word);
  if (start === undefined) return undefined;
  const selected = select({ q: start }, ctx.clock.now());
  const found: string[] = [];
  for await (const rows of everyCertificate(ctx, ctx.principal.org_id, selected, "details")) {
    found.push(...rows.map(({ fingerprint }) => fingerprint));
  }
  return beginsWith("certificate", start, found);
}

function fileError(path: string, error: unknown): unknown {
  const problem = fileProblem(error);
  return problem === undefined ? error : new OperatorError(`${path}: ${problem}`);
}
