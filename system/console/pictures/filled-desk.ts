/** Desks whose history was lived through at a fixed clock: the same each time, down to its ids. */
import { drawFrom, world } from "./fixed-world.ts";
import { addPeople } from "./past/people.ts";
import { askAndDecide } from "./past/requests.ts";
import { uploadCertificates } from "./past/certificates.ts";
import { issueKeys } from "./past/keys.ts";
import { makeOffer } from "./past/offer.ts";
import { addTargets } from "./past/targets.ts";
import { backUp, countUse } from "./past/use.ts";
import { keepViews } from "./past/views.ts";
import { DAY_MS, Desk, HOUR_MS, NOW, type PictureDesk, serve } from "./picture-desk.ts";

/** An empty desk at the moment of the pictures. */
export async function emptyDesk(): Promise<PictureDesk> {
  drawFrom("empty");
  world.now = NOW - HOUR_MS;
  return await serve(await Desk.open());
}

/** A desk that has been at work for nine months; a busy one has problems. */
export async function filledDesk(kind: "calm" | "busy"): Promise<PictureDesk> {
  drawFrom(kind);
  world.now = NOW - 280 * DAY_MS;
  const desk = await Desk.open();
  const people = await addPeople(desk);
  await makeOffer(desk);
  await addTargets(desk);
  await uploadCertificates(desk, people.jana, kind);
  await issueKeys(desk, people);
  await keepViews(desk, people);
  await askAndDecide(desk, people, kind);
  if (kind === "calm") await backUp(desk);
  await countUse(desk);
  return await serve(desk);
}
