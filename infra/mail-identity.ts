/** Names the identity of Amazon SES from which mails are sent, and creates it if no setting names one that exists. */
import { CfnOutput, type RemovalPolicy } from 'aws-cdk-lib';
import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

type MailSettings = Pick<Settings, 'mailFrom' | 'mailIdentity'>;

/** Returns the name of the identity. Undefined: the deployment sends no mail. */
export const mailIdentityOf = ({ mailFrom, mailIdentity }: MailSettings): string | undefined =>
  mailIdentity ?? mailFrom?.slice(mailFrom.indexOf('@') + 1);

/**
 * Creates the identity of a domain with its DKIM keys, unless a setting names an identity that exists. The outputs are the DNS records
 * with which the owner of the domain verifies it: https://docs.aws.amazon.com/ses/latest/dg/send-email-authentication-dkim-easy.html
 */
export function createMailIdentity(
  scope: Construct,
  settings: MailSettings,
  removalPolicy: RemovalPolicy,
): void {
  const domain = mailIdentityOf(settings);
  if (domain === undefined || settings.mailIdentity !== undefined) return;
  const identity = new EmailIdentity(scope, 'MailIdentity', { identity: Identity.domain(domain) });
  identity.applyRemovalPolicy(removalPolicy);
  for (const [index, { name, value }] of identity.dkimRecords.entries())
    new CfnOutput(scope, `MailDnsRecord${index + 1}`, { value: `${name} CNAME ${value}` });
}
