/**
 * Asks for a key by the client of openapi-generator for fetch, approves the key request and has the
 * key verified.
 */
import {
  Configuration,
  KeyRequestsClassicApi,
  ResponseError,
  VerificationApi,
} from "./typescript-fetch";

declare const process: { env: Record<string, string | undefined> };

const configuration = new Configuration({
  basePath: process.env.DESK_URL ?? "",
  // One for each security scheme that an operation allows; only the header carries the access
  // token.
  apiKey: (name) => name === "Authorization" ? process.env.DESK_CREDENTIAL ?? "" : "",
});

async function walk(): Promise<void> {
  const requests = new KeyRequestsClassicApi(configuration);
  const keyRequestInput = { byUser: "dev-ada", forPlan: process.env.DESK_PLAN };
  const { message: id } = await requests.createClassicKeyRequest({ keyRequestInput });
  const read = await requests.getClassicKeyRequest({ id });
  const { rawKey: key } = await requests.approveClassicKeyRequest({ id });
  const verification = new VerificationApi(configuration);
  const verdict = await verification.verifyKey({ credentialQuestion: { key } });
  const refused: unknown = await requests.getClassicKeyRequest({ id: "absent" }).catch((error) =>
    error
  );
  const status = refused instanceof ResponseError ? refused.response.status : 200;
  console.log(read.byUser, read.forPlan, verdict.valid, status);
}

walk();
