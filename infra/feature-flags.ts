/** Fixes the feature flags of the CDK, so that the stacks are the same in each app. */
import { CURRENT_VERSION_EXPIRED_FLAGS, FLAGS, futureFlagDefault } from 'aws-cdk-lib/cx-api';
import type { Construct } from 'constructs';

/** The flags whose values are not the defaults of the CDK. */
const chosen: Readonly<Record<string, unknown>> = {
  '@aws-cdk/aws-iam:minimizePolicies': true,
  '@aws-cdk/core:checkSecretUsage': true,
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

/** Sets all feature flags for what is created in the scope later, also those that the context of the app sets. */
export function fixFeatureFlags(scope: Construct): void {
  // The CDK refuses a value of the flags of its first version.
  const flags = Object.keys(FLAGS).filter((flag) => !CURRENT_VERSION_EXPIRED_FLAGS.includes(flag));
  for (const flag of flags) scope.node.setContext(flag, chosen[flag] ?? futureFlagDefault(flag));
}
