/**
 * Reads the environment variables. No other file reads `process.env`. Each setting is read when it is needed, so the
 * local stack and the tests can set it before the first request.
 *
 * Lambda sets the variables before it loads a bundle, and then changes only the trace header. So bundles with the short path
 * to AWS read a copy of them, which takes a fraction of the time.
 */

const copy = typeof directCallsOnly === 'undefined' ? undefined : { ...process.env };

/** Returns the value of a variable, or undefined if it is not set. */
const read = (name: string): string | undefined => (copy ?? process.env)[name];

/**
 * Returns the value of a variable that a function needs.
 * @throws Error if the variable is not set or empty
 */
function required(name: string): string {
  const value = read(name);
  if (!value) throw new Error(`The environment variable ${name} is not set.`);
  return value;
}

/**
 * Returns the address of a provider's double without a trailing slash, or undefined if the variable is not set.
 * @throws Error if the address is not on this machine: credentials of a merchant must not go anywhere else
 */
function doubleUrl(name: string): string | undefined {
  const value = read(name);
  if (!value) return undefined;
  if (/^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?\/?$/.test(value)) return value.replace(/\/$/, '');
  throw new Error(`${name} must be an address on this machine, such as http://127.0.0.1:3003.`);
}

/** The end of the names of the variables with the endpoints of services, by the service's name in host names. */
const endpointVariables = {
  dynamodb: 'DYNAMODB',
  sqs: 'SQS',
  secretsmanager: 'SECRETS_MANAGER',
  s3: 'S3',
  email: 'SESV2',
  events: 'EVENTBRIDGE',
  lambda: 'LAMBDA',
} as const;

/** A deployment can choose another number. */
const defaultMailsPerDay = 500;

/** The stage name of the local stack. */
export const localStage = 'local';

export const env = {
  tableName: () => required('TABLE_NAME'),
  /** The bucket of logos, of PDFs that are too large for a response, and of the files of exports. */
  bucketName: () => required('BUCKET_NAME'),
  /** The folder with the code of the function, and the files beside it. Only Lambda sets it. */
  lambdaTaskRoot: () => read('LAMBDA_TASK_ROOT'),
  /** The deployment to which metrics belong. */
  stage: () => read('STAGE') ?? localStage,
  /** The release, and a hash of its functions. The local stack has none. */
  version: () => read('REMIT_VERSION') ?? localStage,
  /** The base of payment pages. An invoice's `paymentUrl` is this base, a slash and the invoice's id. */
  payUrlBase: () => required('PAY_URL_BASE'),
  /** The base URL of the service, without a trailing slash. The payment pages are below it. */
  baseUrl: () => required('PAY_URL_BASE').replace(/\/pay$/, ''),
  /** The URI of the contact for reports of vulnerabilities. Undefined if the deployment names none. */
  securityContact: () => read('SECURITY_CONTACT'),
  /** The dashboard's base URL without a trailing slash, if it differs from the gateway's own address. */
  dashboardUrl: () => read('DASHBOARD_URL'),
  /** The hosts of the API and of the dashboard that the URLs of the service do not name, as a comma-separated list. */
  ownHosts: () => (read('OWN_HOSTS') ?? '').split(',').filter(Boolean),
  /** The host at which the canary receives webhooks, if there is a canary. */
  canaryHost: () => read('CANARY_HOST') || undefined,
  /** The OpenID Connect issuer at which users of the dashboard sign in, and the dashboard's client there. */
  oidcIssuer: () => required('OIDC_ISSUER'),
  oidcClientId: () => required('OIDC_CLIENT_ID'),
  /** How users must have signed in: one of these values is in the claim `acr`, and one in `amr`. Empty: any value. */
  oidcAcr: () => (read('OIDC_ACR') ?? '').split(' ').filter(Boolean),
  oidcAmr: () => (read('OIDC_AMR') ?? '').split(' ').filter(Boolean),
  /** The Cognito user pool of the deployment. Undefined if users sign in at another issuer. */
  userPoolId: () => read('USER_POOL_ID'),
  /** The secret in Secrets Manager that contains the deployment secret. */
  deploymentSecretArn: () => read('DEPLOYMENT_SECRET_ARN'),
  /** The file that contains the deployment secret, on the local stack. */
  deploymentSecretFile: () => read('DEPLOYMENT_SECRET_FILE'),
  /** The secret in Secrets Manager from which the encryption of webhook secrets comes. */
  webhookSecretArn: () => read('WEBHOOK_SECRET_ARN'),
  /** The file that contains it, on the local stack. */
  webhookSecretFile: () => read('WEBHOOK_SECRET_FILE'),
  /** The secret in Secrets Manager from which the encryption of provider credentials comes. */
  providerSecretArn: () => read('PROVIDER_SECRET_ARN'),
  /** The file that contains it, on the local stack. */
  providerSecretFile: () => read('PROVIDER_SECRET_FILE'),
  /** The secret in Secrets Manager from which the encryption of stored answers with values of API keys comes. */
  keySecretArn: () => read('KEY_SECRET_ARN'),
  /** The file that contains it, on the local stack. */
  keySecretFile: () => read('KEY_SECRET_FILE'),
  /** The secret in Secrets Manager from which the seals of the audit log come. */
  auditSecretArn: () => read('AUDIT_SECRET_ARN'),
  /** The file that contains it, on the local stack. */
  auditSecretFile: () => read('AUDIT_SECRET_FILE'),
  /** The secret in Secrets Manager from which the keys come that sign sessions and members. */
  signingSecretArn: () => read('SIGNING_SECRET_ARN'),
  /** The file that contains it, on the local stack. */
  signingSecretFile: () => read('SIGNING_SECRET_FILE'),
  /** The secret in Secrets Manager that contains the key and the webhook secret of the canary. */
  canarySecretArn: () => required('CANARY_SECRET_ARN'),
  /** The address from which mails come. Undefined: the deployment sends no mail. */
  mailFrom: () => read('MAIL_FROM') || undefined,
  /** The mails that an account and mode sends in a day at most. */
  mailsPerDay: () => Number(read('MAILS_PER_DAY') || defaultMailsPerDay),
  /** The configuration set of Amazon SES that reports what comes of mails. Undefined: nothing is reported. */
  mailConfigurationSet: () => read('MAIL_CONFIGURATION_SET') || undefined,
  /** Whether mails go to the double of Amazon SES on this machine, which delivers nothing. */
  isMailDouble: () => /^http:\/\/127\.0\.0\.1(:\d+)?$/.test(env.awsEndpoint('email') ?? ''),
  /** The private ranges to which webhooks may be sent, as a comma-separated list in CIDR form. */
  webhookAllowedRanges: () => (read('WEBHOOK_ALLOWED_RANGES') ?? '').split(',').filter(Boolean),
  /** The ARNs of the queues, event buses and functions in AWS to which events can go. */
  eventTargets: () => (read('EVENT_TARGETS') ?? '').split(',').filter(Boolean),
  /** The level from which on entries are logged. */
  logLevel: () => read('POWERTOOLS_LOG_LEVEL') ?? read('LOG_LEVEL') ?? 'INFO',
  /** Lambda's trace header of the invocation. It changes with each invocation. */
  traceHeader: () => process.env._X_AMZN_TRACE_ID,
  /** The address of the X-Ray daemon, as host and port. */
  traceDaemon: () => read('AWS_XRAY_DAEMON_ADDRESS'),
  /** More ports to which webhooks may be sent, as a comma-separated list. */
  webhookAllowedPorts: () => (read('WEBHOOK_ALLOWED_PORTS') ?? '').split(',').filter(Boolean).map(Number),
  /** The doubles of payment providers, on the local stack and in tests. A deployment never sets them. */
  stripeApiUrl: () => doubleUrl('STRIPE_API_URL'),
  razorpayApiUrl: () => doubleUrl('RAZORPAY_API_URL'),
  /**
   * How calls to AWS are made: `direct` on the short path of `shared/platform/aws/direct-client.ts`, or `sdk`. The short path needs a region
   * and credentials in the environment, as Lambda sets them. The SDK also finds them elsewhere, for example in a profile,
   * which comes first if one is selected.
   */
  awsCalls: () => {
    const { AWS_CALLS, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_PROFILE } = copy ?? process.env;
    return AWS_CALLS || (AWS_REGION && AWS_ACCESS_KEY_ID && !AWS_PROFILE ? 'direct' : 'sdk');
  },
  awsRegion: () => required('AWS_REGION'),
  /** The credentials of the function's role. They do not change while an instance exists. */
  awsCredentials: () => ({
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    sessionToken: read('AWS_SESSION_TOKEN'),
  }),
  /** The endpoint of a service instead of its public one, for example of an emulator. */
  awsEndpoint: (service: keyof typeof endpointVariables) => {
    if (read('AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true') return undefined;
    return read(`AWS_ENDPOINT_URL_${endpointVariables[service]}`) || read('AWS_ENDPOINT_URL') || undefined;
  },
  /** Whether the settings of the SDK ask for endpoints with other host names: FIPS or IPv6. */
  usesSpecialEndpoints: () =>
    [read('AWS_USE_FIPS_ENDPOINT'), read('AWS_USE_DUALSTACK_ENDPOINT')].includes('true'),
  /** The URL of a queue, by the name of its variable in `queueVariables`. */
  queueUrl: (variable: string) => required(variable),
};
