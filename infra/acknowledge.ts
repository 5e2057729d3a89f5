/** Records exceptions to the cdk-nag AwsSolutions rules. Each exception is as narrow as possible and has a reason. */
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Acknowledges that `construct` does not follow a rule.
 * @param rule the rule's id without the pack name. Add the finding if the rule has several: `IAM5[Resource::*]`
 * @param reason one sentence of at least 30 characters that ends with a period
 */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}
