/** Applies what a company may require of all resources in its AWS accounts: tags, and a boundary and a path of all roles. */
import { Aspects, CfnResource, type IAspect, Tags } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** Adds the settings `permissionsBoundary`, `rolePath` and `tags` to all stacks in the scope. */
export function applyAccountRules(
  scope: Construct,
  { permissionsBoundary, rolePath, tags = {} }: Pick<Settings, 'permissionsBoundary' | 'rolePath' | 'tags'>,
): void {
  for (const [key, value] of Object.entries(tags)) Tags.of(scope).add(key, value);
  const properties = Object.entries({ PermissionsBoundary: permissionsBoundary, Path: rolePath }).filter(
    ([, value]) => value !== undefined,
  );
  if (properties.length === 0) return;
  Aspects.of(scope).add({
    visit: (node) => {
      if (!CfnResource.isCfnResource(node) || node.cfnResourceType !== 'AWS::IAM::Role') return;
      for (const [name, value] of properties) node.addPropertyOverride(name, value);
    },
  } satisfies IAspect);
}
