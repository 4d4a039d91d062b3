/**
 * The main jobs of the console in Debian's Firefox, by WebDriver BiDi: real keys and clicks,
 * checked at the server.
 */
import { startFirefox } from "../support/firefox.ts";
import { decideByKeys, twentyByKeys, twentyInBulk } from "./work/decisions.ts";
import { doWork } from "./work/desk.ts";
import { firstKey, leakedKey, rotatedKey } from "./work/keys.ts";
import {
  addedColleague,
  auditorsHour,
  replacedCertificate,
  signedIn,
  whoAndWhy,
} from "./work/others.ts";

const works = [
  signedIn,
  firstKey,
  decideByKeys,
  twentyByKeys,
  twentyInBulk,
  leakedKey,
  rotatedKey,
  replacedCertificate,
  whoAndWhy,
  addedColleague,
  auditorsHour,
];

Deno.test("firefox: the main jobs are done", async (test) => {
  await using browser = await startFirefox();
  for (const one of works) {
    await test.step(one.job, async () => void await doWork(browser, one));
  }
});
