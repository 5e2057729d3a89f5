/** Finds changes in the output of `cdk diff` that replace or delete a resource with data. */
import { stripVTControlCharacters } from 'node:util';

/** The types of resources with data. A deployment cannot bring their content back. */
const dataTypes = ['AWS::DynamoDB::Table', 'AWS::SecretsManager::Secret', 'AWS::SQS::Queue', 'AWS::KMS::Key'];

/**
 * Returns a line for each resource with data that the deployment replaces, deletes or leaves behind. A change of
 * `GenerateSecretString` counts too, because CloudFormation then generates a new secret.
 * @param diff the output of `cdk diff`; control characters of a terminal are ignored
 */
export function findDataLoss(diff: string): string[] {
  return stripVTControlCharacters(diff)
    .split(/\n(?=\[)/)
    .flatMap((resource) => {
      const [, sign, type = '', name, impact] =
        /^\[([+~-])\] (AWS::\S+) (.*?)(?: (replace|may be replaced|destroy|orphan))?$/m.exec(resource) ?? [];
      if (!dataTypes.includes(type)) return [];
      const generates = sign === '~' && resource.includes('GenerateSecretString');
      if (sign !== '-' && !impact && !generates) return [];
      return [`${type} ${name}: ${impact ?? (generates ? 'a new secret is generated' : 'destroy')}`];
    });
}
