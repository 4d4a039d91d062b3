import type { FeatureLoaders } from "./http/lazy-routes.ts";

/**
 * Every feature's endpoints. A feature is loaded when one of its endpoints is first called, so that starting costs
 * neither the time nor the memory of what nobody asks for. `route-table.ts` says which paths lead where.
 */
export const features = {
  keyRequests: async () => (await import("./key-requests/key-requests.routes.ts")).keyRequestRoutes,
  nativeKeyRequests: async () =>
    (await import("./key-requests/native.routes.ts")).nativeKeyRequestRoutes,
  claims: async () => (await import("./claims/claims.routes.ts")).claimRoutes,
  keys: async () => (await import("./keys/keys.routes.ts")).keyRoutes,
  developers: async () =>
    (await import("./developer-accounts/developer-accounts.routes.ts")).developerAccountRoutes,
  nativeDevelopers: async () =>
    (await import("./developer-accounts/native.routes.ts")).nativeDeveloperRoutes,
  portal: async () => (await import("./catalogue/portal.routes.ts")).portalRoutes,
  plans: async () => (await import("./plans/plans.routes.ts")).planRoutes,
  nativePlans: async () => (await import("./catalogue/native.routes.ts")).nativePlanRoutes,
  certificates: async () =>
    (await import("./certificates/certificates.routes.ts")).certificateRoutes,
  nativeCertificates: async () =>
    (await import("./certificates/native.routes.ts")).nativeCertificateRoutes,
  oauth: async () => (await import("./oauth/oauth.routes.ts")).oauthRoutes,
  verification: async () =>
    (await import("./verification/verification.routes.ts")).verificationRoutes,
  activity: async () => (await import("./activity/activity.routes.ts")).activityRoutes,
  people: async () => (await import("./access/people.routes.ts")).peopleRoutes,
  organisations: async () => (await import("./access/organisations.routes.ts")).organisationRoutes,
  sessions: async () => (await import("./access/sessions.routes.ts")).sessionRoutes,
  serverInfo: async () => (await import("./server-info/server-info.routes.ts")).serverInfoRoutes,
  health: async () => (await import("./http/health.routes.ts")).healthRoutes,
  reference: async () => (await import("./reference/reference.routes.ts")).referenceRoutes,
} satisfies FeatureLoaders;
