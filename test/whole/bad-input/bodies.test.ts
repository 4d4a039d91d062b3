import assert from "node:assert/strict";
import { type TestDesk, testOnEngines } from "../../support/desk.ts";
import { assertRefused, create, type Refusal } from "./support/refused.ts";
import { minimal } from "./support/samples.ts";

const LIST = "/api/portal/requests";
const MIB = 1024 * 1024;

/** Sends the body to create, UPDATE and PUT; each refuses it alike. */
async function refusedEverywhere(
  desk: TestDesk,
  status: number,
  body: () => unknown,
): Promise<Refusal> {
  const id = await create(desk, minimal);
  const before = await (await desk.send("GET", `${LIST}/${id}`)).text();
  await assertRefused(desk, status, "UPDATE", `${LIST}/${id}`, { body: body() });
  await assertRefused(desk, status, "PUT", `${LIST}/${id}`, { body: body() });
  assert.equal(await (await desk.send("GET", `${LIST}/${id}`)).text(), before);
  return await assertRefused(desk, status, "POST", LIST, { body: body() });
}

const withField = (text: string) => `{"by_user":"a","for_plan":"b","fields":{"f":${text}}}`;

const malformed: Record<string, string> = {
  "empty": "",
  "blank": " \n ",
  "cut off": `{"by_user":"hidden-value","for_plan":"b"`,
  "a single quote": `{'by_user':'hidden-value'}`,
  "a trailing comma": `{"by_user":"hidden-value",}`,
  "a comment": `{"by_user":"hidden-value"/* why */}`,
  "two values": `{"by_user":"hidden-value"}{}`,
  "a raw line break in a text": `{"by_user":"hidden\nvalue"}`,
  "a raw NUL in a text": `{"by_user":"hidden\0value"}`,
  "NaN": withField("NaN"),
  "a number with a leading zero": withField("01"),
  "a bad escape": withField(`"\\x41"`),
  "a form": "by_user=hidden-value&for_plan=b",
  "XML": "<by_user>hidden-value</by_user>",
  "60,000 open brackets": "[".repeat(60_000),
};

for (const [name, body] of Object.entries(malformed)) {
  testOnEngines(`bad input: ${name}: refused as malformed`, async (desk) => {
    const { message, errors } = await refusedEverywhere(desk, 400, () => body);
    assert.equal(message, "Request body malformed.");
    assert.equal(errors.length, 1);
    assert.ok(!errors.join().includes("hidden"), errors.join());
  });
}

testOnEngines("bad input: malformed JSON is told the place of the error", async (desk) => {
  const { errors } = await assertRefused(desk, 400, "POST", LIST, { body: `{\n  "by_user": x}` });
  assert.deepEqual(errors, ["body: the error is at line 2, column 14"]);
});

testOnEngines("bad input: invalid UTF-8 is refused", async (desk) => {
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 1, 1, 1]]) {
    const [before = "", after = ""] = withField(`"@"`).split("@");
    const body = () => {
      const encoder = new TextEncoder();
      return new Uint8Array([...encoder.encode(before), ...bytes, ...encoder.encode(after)]);
    };
    const { errors } = await refusedEverywhere(desk, 400, body);
    assert.deepEqual(errors, ["body: is not valid UTF-8"]);
  }
});

const invalid: Record<string, [body: string, error: RegExp]> = {
  "33 levels of arrays": ["[".repeat(33) + "]".repeat(33), /nested deeper than 32/],
  "33 levels of objects": [`{"a":`.repeat(33) + "1" + "}".repeat(33), /nested deeper than 32/],
  "100,000 levels": ["[".repeat(100_000) + "]".repeat(100_000), /nested deeper than 32/],
  "an array": ["[]", /^body: expected an object/],
  "null": ["null", /^body: expected an object/],
  "a text": [`"hidden-value"`, /^body: expected an object/],
  "a number": ["7", /^body: expected an object/],
  "NUL in a value": [withField(`"a\\u0000hidden"`), /^fields\.f: must not hold NUL/],
  "NUL in a name": [
    `{"by_user":"a","for_plan":"b","fields":{"a\\u0000":"hidden"}}`,
    /^fields: must not hold NUL/,
  ],
  "half a pair in a value": [withField(`"a\\ud800hidden"`), /^fields\.f: must not hold half/],
  "half a pair in a name": [
    `{"by_user":"a","for_plan":"b","fields":{"\\udc00a":"hidden"}}`,
    /^fields: must not hold half/,
  ],
  "a number out of range": [
    withField("1e999"),
    /^fields\.f: expected a number that JSON can give back/,
  ],
  "a control character in an id": [
    `{"by_user":"hidden\\u0007","for_plan":"b"}`,
    /^by_user: must not hold control characters/,
  ],
  "nobody who asks": [`{"for_plan":"b"}`, /^by_user: required/],
  "no plan": [`{"by_user":"a"}`, /^for_plan: required/],
  "10,000 fields": [
    JSON.stringify({
      fields: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [i, ""])),
    }),
    /^fields: expected at most 1000 members/,
  ],
  "10,000 plans": [
    JSON.stringify({ apply_policies: Array(10_000).fill("hidden") }),
    /^apply_policies: expected at most 1000 items/,
  ],
  "1000 times 500 items": [
    JSON.stringify({
      portal_developer: {
        keys: Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [i, Array(500).fill(0)])),
      },
    }),
    /^body: expected at most 50000 values/,
  ],
  "a name of 900 kB": [
    `{"${"n".repeat(900_000)}":{"a":"\\u0000","b":[1e999,1e999,1e999]}}`,
    /^n{200}: must not hold NUL/,
  ],
};

for (const [name, [body, error]] of Object.entries(invalid)) {
  testOnEngines(`bad input: ${name}: refused with the member's name`, async (desk) => {
    const { message, errors } = await refusedEverywhere(desk, 400, () => body);
    assert.match(message, error);
    assert.equal(errors[0], message);
    assert.ok(!errors.join().includes("hidden"), errors.join());
  });
}

testOnEngines(
  "bad input: a body over the limit is 413, with a length and in chunks",
  async (desk) => {
    const bytes = new TextEncoder().encode(withField(`"${"x".repeat(MIB)}"`));
    await refusedEverywhere(desk, 413, () => bytes);
    await refusedEverywhere(desk, 413, () => new Blob([bytes.slice(0, 9), bytes]).stream());
    const id = await create(desk, minimal);
    await assertRefused(desk, 413, "PUT", `${LIST}/approve/${id}`, { body: bytes });
    const exact = withField(`""`);
    await create(desk, withField(`"${"x".repeat(MIB - exact.length)}"`));
  },
  { environment: { KEYDESK_REQUEST_BYTES: "0" } },
);
