// What the compiler finds no types of. Modules of their own:
declare module "node-forge";
declare module "node-forge/lib/forge.js";
// What bundles and the simulation read by another name:
declare module "*.css?url" {
  const address: string;
  export default address;
}
declare module "*?lazy" {
  export const features: Record<string, () => Promise<unknown>>;
}

// A script of a page, which the server sends as it stands:
declare module "*?text" {
  const text: string;
  export default text;
}
