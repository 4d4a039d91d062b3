import type { DeskCall } from "./desk.ts";
import type { FeatureLoaders } from "./http/lazy-routes.ts";

/**
 * Every feature's endpoints. A feature is loaded when one of its endpoints is first called, so that starting costs
 * neither the time nor the memory of what nobody asks for. `route-table.ts` says which paths lead where.
 */
export const features = {
  keyRequests: async () =>
    (await import("./features/key-requests/key-requests.routes.ts")).keyRequestRoutes,
  v1KeyRequests: async () =>
    (await import("./features/key-requests/v1.routes.ts")).v1KeyRequestRoutes,
  claims: async () => (await import("./features/claims/claims.routes.ts")).claimRoutes,
  keys: async () => (await import("./features/keys/keys.routes.ts")).keyRoutes,
  keyData: async () => (await import("./features/key-data/key-data.routes.ts")).keyDataRoutes,
  developers: async () =>
    (await import("./features/developer-accounts/developer-accounts.routes.ts"))
      .developerAccountRoutes,
  v1Developers: async () =>
    (await import("./features/developer-accounts/v1.routes.ts")).v1DeveloperRoutes,
  developerEmails: async () =>
    (await import("./features/developer-emails/developer-emails.routes.ts")).developerEmailRoutes,
  portal: async () => (await import("./features/catalogue/portal.routes.ts")).portalRoutes,
  plans: async () => (await import("./features/plans/plans.routes.ts")).planRoutes,
  v1Plans: async () => (await import("./features/catalogue/v1.routes.ts")).v1PlanRoutes,
  certificates: async () =>
    (await import("./features/certificates/certificates.routes.ts")).certificateRoutes,
  certificateUses: async () =>
    (await import("./features/certificate-uses/certificate-uses.routes.ts")).certificateUseRoutes,
  v1Certificates: async () =>
    (await import("./features/certificates/v1.routes.ts")).v1CertificateRoutes,
  branding: async () => (await import("./features/branding/branding.routes.ts")).brandingRoutes,
  deliveries: async () =>
    (await import("./features/deliveries/deliveries.routes.ts")).deliveryRoutes,
  alerts: async () => (await import("./features/alerts/alerts.routes.ts")).alertRoutes,
  jobs: async () => (await import("./features/jobs/jobs.routes.ts")).jobRoutes,
  views: async () => (await import("./features/views/views.routes.ts")).viewRoutes,
  leaks: async () => (await import("./features/leaks/leaks.routes.ts")).leakRoutes,
  oauth: async () => (await import("./features/oauth/oauth.routes.ts")).oauthRoutes,
  verification: async () =>
    (await import("./features/verification/verification.routes.ts")).verificationRoutes,
  usage: async () => (await import("./features/usage/usage.routes.ts")).usageRoutes,
  insight: async () => (await import("./features/insight/insight.routes.ts")).insightRoutes,
  activity: async () => (await import("./features/activity/activity.routes.ts")).activityRoutes,
  people: async () => (await import("./features/access/people.routes.ts")).peopleRoutes,
  accessTokens: async () =>
    (await import("./features/claims/access-tokens.routes.ts")).accessTokenRoutes,
  organisations: async () =>
    (await import("./features/access/organisations.routes.ts")).organisationRoutes,
  sessions: async () => (await import("./features/access/sessions.routes.ts")).sessionRoutes,
  trail: async () => (await import("./operations/trail/trail.routes.ts")).trailRoutes,
  serverInfo: async () =>
    (await import("./operations/server-info/server-info.routes.ts")).serverInfoRoutes,
  health: async () => (await import("./http/health.routes.ts")).healthRoutes,
  hello: async () => (await import("./http/hello.routes.ts")).helloRoutes,
  reference: async () => (await import("./reference/reference.routes.ts")).referenceRoutes,
} satisfies FeatureLoaders<DeskCall>;
