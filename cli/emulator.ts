/**
 * Finds the AWS emulator for `npm run deploy:emulator`, and builds the environment for AWS tools.
 * - Only an emulator on this machine is accepted, and the environment leads to nothing else. So no command can reach a
 *   real AWS account.
 */
import { devNull } from 'node:os';
import { usageError } from './command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The default credentials and the default region of emulators. */
const defaults = { accessKeyId: 'test', secretAccessKey: 'test', region: 'us-east-1' };

/**
 * Reads the endpoint from `AWS_ENDPOINT_URL`. Replaces `localhost` with a loopback address, so that no name must be
 * resolved and buckets are addressed by path.
 * @throws CommandError (usage) if the variable is missing or names another machine
 */
export function readEmulatorEndpoint({ AWS_ENDPOINT_URL }: Environment): string {
  const url = URL.parse(AWS_ENDPOINT_URL ?? '');
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/') {
    throw usageError(
      "AWS_ENDPOINT_URL must be an http or https URL without a path. Set it to the emulator's URL, for example http://127.0.0.1:4566.",
    );
  }
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  if (!/^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) {
    throw usageError(
      `AWS_ENDPOINT_URL names ${url.hostname}, which is not this machine. Use localhost, [::1] or an address in 127.0.0.0/8.`,
    );
  }
  return url.origin;
}

/** Builds the environment in which AWS tools call only `endpoint`. Drops profiles, proxies and other endpoints. */
export function buildEmulatorEnvironment(
  endpoint: string,
  outer: Environment,
): Record<string, string | undefined> {
  const kept = Object.entries(outer).filter(([name]) => !/^AWS_(?!CA_BUNDLE$)|_proxy$/i.test(name));
  const region = outer.AWS_REGION || outer.AWS_DEFAULT_REGION || defaults.region;
  return {
    ...Object.fromEntries(kept),
    ...credentialsOf(outer),
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

function credentialsOf({ AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }: Environment) {
  if (AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY) return { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  return { AWS_ACCESS_KEY_ID: defaults.accessKeyId, AWS_SECRET_ACCESS_KEY: defaults.secretAccessKey };
}
