/** The AWS emulator on this machine that `npm run deploy:emulator` deploys to: its address, and how to call it and nothing else. */
import { devNull } from 'node:os';
import { usageError } from './command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What emulators take for credentials, and where they take themselves to be. */
const defaults = { accessKeyId: 'test', secretAccessKey: 'test', region: 'us-east-1' };

/**
 * The endpoint that `AWS_ENDPOINT_URL` names, by a literal loopback address: so nobody has to resolve a name, and buckets
 * are addressed by path. Throws a usage error if it is missing or on any other machine.
 */
export function emulatorEndpoint({ AWS_ENDPOINT_URL }: Environment): string {
  const url = URL.parse(AWS_ENDPOINT_URL ?? '');
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/') {
    throw usageError(
      "Set AWS_ENDPOINT_URL to the emulator's address, such as AWS_ENDPOINT_URL=http://127.0.0.1:4566.",
    );
  }
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1';
  if (!/^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) {
    throw usageError(
      `AWS_ENDPOINT_URL names ${url.hostname}, which is not this machine's loopback: only 127.0.0.0/8, [::1] and localhost are deployed to.`,
    );
  }
  return url.origin;
}

/** The environment in which AWS tools call that endpoint, whatever profile, proxy or endpoint of a service is set in `outer`. */
export function emulatorEnvironment(
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
