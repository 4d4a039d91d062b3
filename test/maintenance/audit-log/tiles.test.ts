/**
 * The tree of the audit log's log as tiles: hashes alone, of which anybody makes their own proofs.
 */
import assert from "node:assert/strict";
import { readCheckpoint } from "../../../packages/audit-log/checkpoint.ts";
import { Frontier } from "../../../packages/audit-log/merkle.ts";
import { testOnEngines } from "../../support/desk.ts";
import { extra, fill } from "./log-desk.ts";

testOnEngines(
  "tiles: the desk's lead to its checkpoint, and tell nothing of rows",
  async (desk) => {
    await fill(desk, 300);
    const credential = await desk.token(["audit"]);
    const read = async (path: string) => {
      const answer = await desk.send("GET", `/v1/audit-log/tiles/${path}`, { credential });
      return { status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) };
    };
    const { bytes: note } = await read("checkpoint");
    const { head } = readCheckpoint(new TextDecoder().decode(note), []);
    const frontier = new Frontier();
    const rest = head.size % 256;
    for (const path of ["tile/0/000", `tile/0/001.p/${rest}`]) {
      const { status, bytes } = await read(path);
      assert.equal(status, 200, path);
      for (let at = 0; at < bytes.length; at += 32) {
        frontier.add(
          bytes.subarray(at, at + 32).toHex(),
        );
      }
    }
    assert.deepEqual([frontier.size, frontier.root()], [head.size, head.root]);
    assert.equal((await read("tile/1/000.p/1")).bytes.length, 32);
    for (
      const path of [
        "tile/0/001",
        "tile/0/x001/000",
        "tile/entries/000",
        "tile/0/xyz",
        "tile/9/000",
      ]
    ) {
      assert.equal((await read(path)).status, 404, path);
    }
    const other = await desk.otherOrganisation();
    const foreign = await desk.send("GET", "/v1/audit-log/tiles/tile/0/000", {
      credential: other.admin,
    });
    assert.equal(foreign.status, 404);
    const reader = await desk.token(["portal:read"]);
    const refused = await desk.send("GET", "/v1/audit-log/tiles/tile/0/000", {
      credential: reader,
    });
    assert.equal(refused.status, 403);
  },
  { extra },
);
