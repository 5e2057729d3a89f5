/** Rules of cdk-nag's AwsSolutions that are not followed somewhere. Each says where, as closely as it can, and why. */
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** @param rule its id without the pack's name, and with the finding if the rule has several, such as `IAM5[Resource::*]` */
export function acknowledge(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}
