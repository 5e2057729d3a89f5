/** Creates a web application firewall: of the API for the setting `waf`, of the dashboard for `dashboardWaf`. */
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { plans } from '../shared/domain/accounts/account.ts';
import { stageName } from './rest-api.ts';

/** The time over which the firewall counts the requests of an address. */
const windowSeconds = 300;

/**
 * The most requests to the API from one address in five minutes. It is twice the hourly limit of the largest plan, because a
 * client may send a whole hour's requests at once and retry each.
 */
export const apiRequestsPerSource = 2 * Math.max(...Object.values(plans));

/** How many requests one address may send. Beyond that, the firewall blocks it until it sends fewer. */
export interface SourceLimits {
  /** The most requests from one address in five minutes. */
  readonly requestsPerSource: number;
  /** Smaller limits, by the first part of the path: these routes have throttles of their own, which strangers share. */
  readonly pathLimits?: Readonly<Record<string, number>>;
}

/**
 * Returns the most requests of one address in five minutes so that it takes only a part of a throttle that all share. A few
 * addresses then cannot lock out the others.
 * @param parts the number of addresses that use up the throttle together
 */
export const shareOfThrottle = (requestsPerSecond: number, parts: number): number =>
  Math.floor((requestsPerSecond * windowSeconds) / parts);

/**
 * The managed rule groups of AWS, each with the rules that only count requests. Those rules would block valid requests:
 *
 * - bodies of up to 64 KiB, and larger ones with a logo
 * - texts about any topic; every page escapes them
 * - URLs of webhook endpoints; the service checks them itself
 * - clients without a `User-Agent` header
 */
const managedRules: Readonly<Record<string, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [],
  AWSManagedRulesCommonRuleSet: [
    'SizeRestrictions_BODY',
    'CrossSiteScripting_BODY',
    'GenericLFI_BODY',
    'GenericRFI_BODY',
    'EC2MetaDataSSRF_BODY',
    'NoUserAgent_HEADER',
  ],
};

/** Creates the firewall and attaches it to `stage`. The rules run in their order. */
export function addFirewall(
  scope: Construct,
  stage: Stage,
  { requestsPerSource, pathLimits = {} }: SourceLimits,
): void {
  const rates = [
    rateRule('requests-per-source', requestsPerSource),
    ...Object.entries(pathLimits).map(([first, limit]) => rateRule(`${first}-per-source`, limit, first)),
  ];
  const managed = Object.entries(managedRules).map(([name, counted]) => ({
    name,
    overrideAction: { none: {} },
    statement: {
      managedRuleGroupStatement: {
        vendorName: 'AWS',
        name,
        ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
      },
    },
    visibilityConfig: visibility(name),
  }));
  const acl = new CfnWebACL(scope, 'Firewall', {
    scope: 'REGIONAL',
    defaultAction: { allow: {} },
    rules: [...rates, ...managed].map((rule, priority) => ({ ...rule, priority })),
    visibilityConfig: visibility('firewall'),
  });
  new CfnWebACLAssociation(scope, 'FirewallOfApi', {
    webAclArn: acl.attrArn,
    resourceArn: stage.stageArn,
  });
}

/**
 * Blocks an address that sends more requests than `limit` within five minutes.
 * @param firstPart counts only paths that begin with this part. A path of the gateway's own address begins with the stage.
 */
function rateRule(name: string, limit: number, firstPart?: string) {
  const scopeDownStatement = {
    regexMatchStatement: {
      regexString: `^(/${stageName})?/${firstPart}/`,
      fieldToMatch: { uriPath: {} },
      // As the gateway reads the path.
      textTransformations: ['URL_DECODE', 'NORMALIZE_PATH'].map((type, priority) => ({ priority, type })),
    },
  };
  return {
    name,
    action: { block: {} },
    statement: {
      rateBasedStatement: {
        aggregateKeyType: 'IP',
        evaluationWindowSec: windowSeconds,
        limit,
        ...(firstPart !== undefined && { scopeDownStatement }),
      },
    },
    visibilityConfig: visibility(name),
  };
}

/** Disables request sampling, because samples would contain API keys from the headers. */
const visibility = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
