import assert from "node:assert/strict";
import { ChangeMark, type CommitSign } from "../../src/storage/engines/sqlite-change-mark.ts";
import { SqliteConnection } from "../../src/storage/engines/sqlite-connection.ts";
import { withFolder } from "../support/processes.ts";

/** A store with a sign that says what the test says. */
function withSign(
  promise: string,
  test: (
    mark: ChangeMark,
    writer: SqliteConnection,
    sign: { says: number },
    loseReader: () => void,
  ) => Promise<void>,
): void {
  Deno.test(`change mark: ${promise}`, () =>
    withFolder(async (folder) => {
      const writer = SqliteConnection.openWriter(`${folder}/store.db`);
      writer.exec("create table kept (a)");
      const reader = SqliteConnection.openReader(`${folder}/store.db`);
      const sign = { says: 1 };
      const port: CommitSign = {
        mark: () => {
          if (Number.isNaN(sign.says)) throw new Error("gone");
          return sign.says;
        },
        close: () => {},
      };
      let isLost = false;
      const loseReader = () => {
        isLost = true;
        reader.close();
      };
      await test(new ChangeMark(reader, port), writer, sign, loseReader);
      if (!isLost) reader.close();
      writer.close();
    }));
}

const insert = (writer: SqliteConnection) => {
  writer.exec("insert into kept values (1)");
  return Promise.resolve();
};

withSign("a sign that misses the first commit is never asked again", async (mark, writer) => {
  const before = mark.now();
  await mark.through(() => insert(writer));
  const after = mark.now();
  assert.notEqual(after, before);
  assert.equal(mark.now(), after);
  await mark.through(() => insert(writer));
  assert.notEqual(mark.now(), after);
});

withSign("a sign that tells of the first commit is believed", async (mark, writer, sign) => {
  await mark.through(() => {
    sign.says = 2;
    return insert(writer);
  });
  assert.equal(mark.now(), 2);
  sign.says = 3;
  assert.equal(mark.now(), 3);
});

withSign("a transaction that wrote nothing proves nothing", async (mark, writer, sign) => {
  await mark.through(() => Promise.resolve());
  assert.equal(mark.now(), 1);
  await mark.through(() => insert(writer));
  assert.notEqual(mark.now(), sign.says);
});

withSign("without a readable sign the connection tells", async (mark, writer, sign) => {
  sign.says = NaN;
  const before = mark.now();
  await mark.through(() => insert(writer));
  assert.notEqual(mark.now(), before);
});

withSign(
  "a commit is kept whatever can be read afterwards",
  async (mark, writer, sign, loseReader) => {
    const kept = await mark.through(async () => {
      await insert(writer);
      loseReader();
      return "kept";
    });
    assert.equal(kept, "kept");
    assert.equal(sign.says, 1);
  },
);
