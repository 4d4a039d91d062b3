/**
 * Java's own HTTP client with its defaults, which offers HTTP/2 by `Upgrade: h2c` with each first
 * request.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { run, startServerProcess, temporaryFolder } from "../../test/support/command.ts";

const CREDENTIAL = "java-administrator-0123456789abcdef";
const REQUEST = JSON.stringify({ by_user: "a", for_plan: "b" });

const PROGRAM = `
import java.net.URI;
import java.net.http.*;

public class Calls {
  static String call(String method, String path, String body) throws Exception {
    // A client of its own for each call, so that each is the first of its connection.
    var publisher = body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
    var request = HttpRequest.newBuilder(URI.create(System.getenv("DESK_URL") + path))
      .header("Authorization", System.getenv("DESK_CREDENTIAL")).method(method, publisher).build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    System.out.println(method + " " + answer.statusCode() + " " + answer.version());
    return answer.body();
  }

  public static void main(String[] words) throws Exception {
    var list = "/api/portal/requests";
    var made = call("POST", list, words[0]);
    var id = made.replaceAll("(?s).*\\"Message\\":\\"([0-9a-f]+)\\".*", "$1");
    call("GET", list + "/" + id, null);
    call("UPDATE", list + "/" + id, words[0]);
    call("DELETE", list + "/" + id, null);
  }
}
`;

Deno.test("client: Java's own client with its defaults creates, reads, updates and deletes", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "Calls.java");
  await Deno.writeTextFile(file, PROGRAM);
  await using server = await startServerProcess({
    KEYDESK_DATA_DIR: join(folder.path, "data"),
    KEYDESK_ADMIN_TOKEN: CREDENTIAL,
  });
  const env = { DESK_URL: server.url, DESK_CREDENTIAL: CREDENTIAL };
  const { code, stdout, stderr } = await run(["java", file, REQUEST], { env });
  assert.equal(code, 0, stderr);
  const calls = ["POST", "GET", "UPDATE", "DELETE"];
  assert.deepEqual(stdout.trim().split("\n"), calls.map((method) => `${method} 200 HTTP_1_1`));
});
