/** The web application firewall before the API, if the setting `waf` asks for it. */
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { plans } from '../shared/accounts/account.ts';

/** From one address in five minutes: the largest plan's hour twice, for it may come at once and be repeated. */
const requestsPerSource = 2 * Math.max(...Object.values(plans));

/**
 * AWS's managed rules. Of the common ones those only count that would refuse what the API takes: bodies of up to
 * 64 KiB, texts about anything, which are escaped wherever they are shown, addresses of receivers, which are judged
 * by the service, and clients that do not name themselves.
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

/** Puts it before `stage`. */
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

/** Whole requests are not sampled: their headers have keys in them. */
const visibility = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
