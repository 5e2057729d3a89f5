/** Starts the dashboard of the local stack on a port of its own, and an issuer at which its users sign in. */

import { firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { dashboardRoutes } from '../../shared/web/dashboard/gateway-routes.ts';
import { setEnvironment } from './environment.ts';
import { type RequestListener, startGateway } from './gateway.ts';
import type { LocalUser } from './local-users.ts';
import type { ReportError } from './loop.ts';
import { type Issuer, startIssuer } from './oidc-issuer.ts';

export interface DashboardOptions {
  /** 0 selects any free port. */
  readonly port: number;
  readonly issuerPort: number;
  /** The users who can sign in at the local issuer. */
  readonly users: readonly LocalUser[];
}

export interface LocalDashboard {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  readonly issuer: Issuer;
  /** Waits for running requests, then stops both servers. */
  close(): Promise<void>;
}

const clientId = 'remit-dashboard';

/** Starts the dashboard and its issuer, and sets the environment of its functions. @throws StartError if a port is in use */
export async function startDashboard(
  host: string,
  { port, issuerPort, users }: DashboardOptions,
  report: ReportError,
  onRequest: RequestListener | undefined,
): Promise<LocalDashboard> {
  const gateway = await startGateway({ host, port, report, onRequest });
  try {
    const url = gateway.baseUrl;
    const issuer = await startIssuer({ host, port: issuerPort, clientId, dashboardUrl: url, users });
    const close = async () => {
      await gateway.close();
      await issuer.close();
    };
    try {
      setEnvironment({
        DASHBOARD_URL: url,
        OWN_HOSTS: new URL(url).host,
        OIDC_ISSUER: issuer.url,
        OIDC_CLIENT_ID: clientId,
      });
      await gateway.serve(dashboardRoutes, firstApiVersion);
      return { url, issuer, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (error) {
    await gateway.close();
    throw error;
  }
}
