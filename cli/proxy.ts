/**
 * Sends the requests of the command line through the proxy that the usual variables name: `HTTPS_PROXY`, `HTTP_PROXY` and
 * `NO_PROXY`, also in lower case. An address of this machine never goes through a proxy, so the local stack works without a setting.
 */
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { usageError } from './command.ts';

/**
 * This machine, and the addresses from which machines of AWS get their credentials
 * (https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-proxy.html).
 */
const ownHosts = ['localhost', '127.0.0.1', '::1', '[::1]', '169.254.169.254', '169.254.170.2'];

interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  /** Hosts that are reached directly, separated by commas. */
  readonly noProxy: string;
}

/** @throws CommandError (usage) if a variable does not name a proxy */
function readProxySettings(env: NodeJS.ProcessEnv): ProxySettings | undefined {
  const httpProxy = readProxyUrl(env, 'http_proxy');
  const httpsProxy = readProxyUrl(env, 'https_proxy');
  if (!httpProxy && !httpsProxy) return undefined;
  const noProxy = (env.no_proxy || env.NO_PROXY || '').trim();
  return {
    httpProxy,
    httpsProxy,
    noProxy: noProxy === '*' ? noProxy : [noProxy, ...ownHosts].filter(Boolean).join(','),
  };
}

/** Returns the URL of the proxy, or an empty text. As in curl, a proxy without a scheme is an http proxy. */
function readProxyUrl(env: NodeJS.ProcessEnv, name: string): string {
  const variable = env[name] ? name : name.toUpperCase();
  const value = env[variable]?.trim();
  if (!value) return '';
  const text = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  // The value is not repeated, because it can contain a password.
  throw usageError(
    `${variable} must be the URL of an http or https proxy, for example http://proxy.example.com:8080. Correct it, or unset it.`,
  );
}

/**
 * Applies the variables to all later calls of `fetch` in this process and, from Node 24.14 on, to the clients of AWS that are made later.
 * Does nothing without them.
 * @throws CommandError (usage) if a variable does not name a proxy
 */
export async function useProxyOfEnvironment(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const settings = readProxySettings(env);
  if (!settings) return;
  // Node has this function since 24.14: https://nodejs.org/docs/latest-v24.x/api/http.html#httpsetglobalproxyfromenvproxyenv
  const { setGlobalProxyFromEnv } = http as Partial<typeof http>;
  if (setGlobalProxyFromEnv) {
    const { httpProxy: http_proxy, httpsProxy: https_proxy, noProxy: no_proxy } = settings;
    const proxyEnv = { http_proxy, https_proxy, no_proxy };
    setGlobalProxyFromEnv(proxyEnv);
    return useProxyInNewAgents(proxyEnv);
  }
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici');
  setGlobalDispatcher(new EnvHttpProxyAgent(settings));
}

/**
 * Gives the proxy to all agents that are made later in this process. Each client of AWS makes its own agent, and so do the clients with
 * which the AWS SDK gets credentials. An agent uses a proxy only if it has the option `proxyEnv`
 * (https://nodejs.org/docs/latest-v24.x/api/http.html#new-agentoptions).
 */
function useProxyInNewAgents(proxyEnv: NonNullable<http.AgentOptions['proxyEnv']>): void {
  const { Agent: HttpAgent } = http;
  const { Agent: HttpsAgent } = https;
  Object.assign(http, {
    Agent: class extends HttpAgent {
      constructor(options?: http.AgentOptions) {
        super({ proxyEnv, ...options });
      }
    },
  });
  Object.assign(https, {
    Agent: class extends HttpsAgent {
      constructor(options?: https.AgentOptions) {
        super({ proxyEnv, ...options });
      }
    },
  });
  // Named imports of these modules get the new classes, too.
  syncBuiltinESMExports();
}
