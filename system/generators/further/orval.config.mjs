/** What orval makes; see docs/generators.md. */
export default {
  desk: {
    input: process.env.DESK_DOCUMENT,
    output: {
      target: "orval/desk.ts",
      client: "fetch",
      baseUrl: { runtime: "process.env.DESK_URL" },
      override: { contentType: { exclude: ["multipart/form-data"] } },
    },
  },
};
