/** Defines what a page or an action of the dashboard knows about its request. `app.ts` makes it once the session and the membership are known. */

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/ids.ts';
import type { ShownClock } from '../../base/test-clock.ts';
import type { Instant } from '../../base/time.ts';
import type { Ability, Role } from '../../domain/users/roles.ts';

export interface DashboardContext {
  readonly user: { readonly id: string; readonly email: string };
  readonly account: string;
  readonly accountName: string;
  readonly mode: Mode;
  readonly role: Role;
  /** The time zone of the account: an IANA name. */
  readonly timeZone: string;
  /** When the sandbox ends. Undefined: the account is not a sandbox. */
  readonly sandboxUntil: Instant | undefined;
  /** The clock of test mode. Undefined in live mode, which has the real time. */
  readonly clock: ShownClock | undefined;
  /** The service is in maintenance: actions must change nothing. */
  readonly isInMaintenance: boolean;
  /** When the user proved their identity to the issuer. */
  readonly authenticatedAt: Instant;
  /** The token that each form must contain. `renderForm` adds it. */
  readonly csrfToken: string;
  /** The form that this page shows again after a new sign-in: where it goes, and the attempt that it keeps. */
  readonly repeated?: { readonly action: string; readonly attempt: string };
  /** When the request arrived. */
  readonly now: Instant;
  /** The same moment, also on the clock of the account. What the request stores has the time of the account. */
  readonly moment: Clock;
  /** The base URL of the dashboard without a trailing slash, for links that people send to each other. */
  readonly dashboardUrl: string;
  /** Returns the link to a page of this account and mode, for example `url('/invoices')`. */
  readonly url: (path: string) => string;
  /** Returns the link to a page that belongs to no account, for example `rootUrl('/sign-in')`. */
  readonly rootUrl: (path: string) => string;
  /** Returns whether the user's role has an ability in this mode. The sign-in may still be too old for it. */
  readonly can: (ability: Ability) => boolean;
  /** Returns whether an ability needs a new sign-in now. */
  readonly needsNewSignIn: (ability: Ability) => boolean;
}
