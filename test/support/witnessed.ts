import { exampleCheckpoint } from "../../src/contract/example-ids.ts";
import { newSigningKey, signCheckpoint, verifierText } from "../../src/kernel/checkpoint.ts";
import { leafHash } from "../../src/kernel/merkle.ts";
import { newTrailKey } from "../../src/operations/trail/trail-key.ts";
import { WITNESS } from "../../src/operations/witness/witness-key.ts";
import { witnessLog } from "../../src/operations/witness/witness.transactions.ts";
import type { TestDesk } from "./desk.ts";

/** Makes the desk a witness of a log; gives what the log asks it for first. */
export async function firstCheckpoint(desk: TestDesk, name: string): Promise<string> {
  const { storage, sealer, clock } = desk.app.ctx;
  const { private_key, public_key } = newSigningKey();
  const origin = `example.org/${name}`;
  await storage.commit(witnessLog, {
    origin,
    keys: [verifierText({ name: origin, public_key })],
    newKey: newTrailKey(sealer, WITNESS),
    now: clock.now(),
  });
  return `old 0\n\n${signCheckpoint({ origin, size: 1, root: leafHash("first") }, private_key)}`;
}

/** The example's body and the one that stands for it, as both stand in JSON. */
export async function realCheckpoint(desk: TestDesk, name: string): Promise<[string, string]> {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  return [inJson(exampleCheckpoint), inJson(await firstCheckpoint(desk, name))];
}
