/** Finds changes in the output of `cdk diff` that replace or delete a resource with data. */
import { stripVTControlCharacters } from 'node:util';

/** The types of resources with data. A deployment cannot bring their content back. */
const dataTypes = [
  'AWS::DynamoDB::Table',
  'AWS::SecretsManager::Secret',
  'AWS::SQS::Queue',
  'AWS::KMS::Key',
  'AWS::Backup::BackupVault',
  'AWS::Cognito::UserPool',
  // Its DKIM keys are in the DNS of the domain.
  'AWS::SES::EmailIdentity',
];

/** Changes of single properties that lose data. The text after the sign names the property. */
const lossyChanges = [
  { property: /\[.\] GenerateSecretString\b/, loss: 'a new secret is generated' },
  {
    property: /\[[-~]\] ReplicaRegions\b/,
    loss: 'the replica in the backup region is deleted, and the copies of the table there are useless without it',
  },
];

/**
 * Returns a line for each resource with data that the deployment replaces, deletes or leaves behind. Some
 * changes of a secret count too: see `lossyChanges`.
 * @param diff the output of `cdk diff`; control characters of a terminal are ignored
 */
export function findDataLoss(diff: string): string[] {
  return stripVTControlCharacters(diff)
    .split(/\n(?=\[)/)
    .flatMap((resource) => {
      const [, sign, type = '', name, impact] =
        /^\[([+~-])\] (AWS::\S+) (.*?)(?: (replace|may be replaced|destroy|orphan))?$/m.exec(resource) ?? [];
      if (!dataTypes.includes(type)) return [];
      const change = lossyChanges.find(({ property }) => sign === '~' && property.test(resource));
      if (sign !== '-' && !impact && !change) return [];
      return [`${type} ${name}: ${impact ?? change?.loss ?? 'destroy'}`];
    });
}
