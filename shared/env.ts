/**
 * The only reader of the environment. Each setting is read when it is asked for, so that the local stack and
 * the tests can set it before the first request.
 */

/** The value of a setting that a function cannot work without. Throws if it is absent. */
function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

/** The stage of what is not deployed. */
export const localStage = 'local';

export const env = {
  tableName: () => required('TABLE_NAME'),
  /** The deployment that metrics are of. */
  stage: () => process.env.STAGE ?? localStage,
  /** Where payers go: an invoice's `paymentUrl` is this, a slash and the invoice's id. */
  payUrlBase: () => required('PAY_URL_BASE'),
  /** Where the service is, without a slash at the end; the payment pages lie below it. */
  baseUrl: () => required('PAY_URL_BASE').replace(/\/pay$/, ''),
  /** Where the deployment secret is: in Secrets Manager, or (local stack) in a file. */
  deploymentSecretArn: () => process.env.DEPLOYMENT_SECRET_ARN,
  deploymentSecretFile: () => process.env.DEPLOYMENT_SECRET_FILE,
  /** Private ranges that webhooks may be sent to, in CIDR form, with commas between them. */
  webhookAllowedRanges: () => (process.env.WEBHOOK_ALLOWED_RANGES ?? '').split(',').filter(Boolean),
  /** The URL of a queue, by the variable that the trigger table names for it. */
  queueUrl: (variable: string) => required(variable),
};
