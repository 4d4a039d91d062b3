/** Who names a certificate is told of one's own certificates alone. */
import { add, made } from "../../support/certificates.ts";
import { absent, testRefusals } from "../../support/refusals.ts";

testRefusals("certificate uses", async (desk) => {
  const id = await add(desk, made({ cn: "example.org" }));
  const unknown = `${desk.org_id}${"0".repeat(64)}`;
  const { admin: other } = await desk.otherOrganisation();
  const calls = (name: string) =>
    [
      ["GET", `/api/certs/dependencies/${name}`],
      ["DELETE", `/api/certs/dependencies/${name}`],
      ["GET", `/api/certs/${name}/apis`],
    ] as const;
  const rows = [
    ...["none", unknown].flatMap((name) =>
      calls(name).map((call) => absent(call, undefined, "certificate_not_found"))
    ),
    ...calls(id).map((call) => absent(call, other, "certificate_not_found")),
    ...["none", unknown, id].map((name) =>
      absent(["GET", `/v1/certificates/${name}/uses`], other, "certificate_not_found")
    ),
  ];
  return { rows };
});
