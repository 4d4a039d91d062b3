/**
 * The main jobs of the console in Debian's Firefox, by WebDriver BiDi: real keys and clicks,
 * checked at the server. The short form does one of each kind: by keys alone, by the pointer, with
 * a file and with the clipboard.
 */
import { effort } from "../../test/support/effort.ts";
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

const all = [
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

const short = [
  signedIn,
  firstKey,
  twentyByKeys,
  leakedKey,
  replacedCertificate,
  auditorsHour,
];
const works = effort > 1 ? all : short;

Deno.test(`firefox: ${works.length} of ${all.length} main jobs are done`, async (test) => {
  await using browser = await startFirefox();
  for (const one of works) {
    await test.step(one.job, async () => void await doWork(browser, one));
  }
});
