import type { Kind } from "./kind.ts";
import { apis } from "./kinds/apis.ts";
import { alerts, channels } from "./kinds/channels.ts";
import { gateways } from "./kinds/gateways.ts";
import { identityProviders, signIn } from "./kinds/identity-providers.ts";
import { branding, portal, portalQuestions } from "./kinds/pages.ts";
import { accessTokens, roles, temporaryAccessRules } from "./kinds/people.ts";
import { plans } from "./kinds/plans.ts";
import { approvalPolicies, defaultApprovalPolicy, unusedKeyRules } from "./kinds/rules-of-plans.ts";

/** Every kind, in the order in which they are made: none needs a later one. */
export const everyKind: readonly Kind[] = [
  branding,
  portal,
  portalQuestions,
  alerts,
  signIn,
  roles,
  plans,
  apis,
  defaultApprovalPolicy,
  approvalPolicies,
  unusedKeyRules,
  channels,
  gateways,
  identityProviders,
  temporaryAccessRules,
  accessTokens,
];
