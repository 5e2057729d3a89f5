/** Creates a web application firewall: of the API for the setting `waf`, of the dashboard for `dashboardWaf`. */
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { plans } from '../shared/accounts/account.ts';

/**
 * The most requests from one address in five minutes. It is twice the hourly limit of the largest plan, because a
 * client may send a whole hour's requests at once and retry each.
 */
const requestsPerSource = 2 * Math.max(...Object.values(plans));

/**
 * The managed rule groups of AWS, each with the rules that only count requests. Those rules would block valid requests:
 *
 * - bodies of up to 64 KiB
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

/** Creates the firewall and attaches it to `stage`. */
export function addFirewall(scope: Construct, stage: Stage): void {
  const managed = Object.entries(managedRules).map(([name, counted], index) => ({
    name,
    priority: index + 1,
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
    rules: [
      {
        name: 'requests-per-source',
        priority: 0,
        action: { block: {} },
        statement: { rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerSource } },
        visibilityConfig: visibility('requests-per-source'),
      },
      ...managed,
    ],
    visibilityConfig: visibility('firewall'),
  });
  new CfnWebACLAssociation(scope, 'FirewallOfApi', {
    webAclArn: acl.attrArn,
    resourceArn: stage.stageArn,
  });
}

/** Disables request sampling, because samples would contain API keys from the headers. */
const visibility = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
