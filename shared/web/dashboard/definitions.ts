/**
 * Defines the shape of the dashboard's pages and actions.
 *
 * - To add a page or an action, write a `DashboardPage` or a `DashboardAction`, and add it to the function in
 *   `functions/dashboard/` that serves its path. `gateway-routes.ts` lists the functions.
 * - The dashboard checks the session, the membership and the ability before it calls either. For actions it also checks
 *   the origin and the CSRF token.
 */

import type { ShownClock } from '../../base/test-clock.ts';
import type { Ability } from '../../domain/users/roles.ts';
import type { Markup } from '../pages/markup.ts';
import type { DashboardContext } from './context.ts';
import type { NoticeKey } from './texts.ts';

/** The entries of the navigation. */
export const sections = [
  'overview',
  'invoices',
  'payments',
  'bank-statements',
  'customers',
  'products',
  'webhooks',
  'events',
  'settings',
] as const;
export type Section = (typeof sections)[number];

/** What a page shows inside the frame. */
export interface DashboardView {
  /** The heading and the first part of the window's title. */
  readonly title: string;
  /** The entry of the navigation that it belongs to. Absent: none. */
  readonly section?: Section;
  readonly content: Markup;
  /** The text of the search at the top of the page. Absent: none. */
  readonly searched?: string;
  /** Beside the heading, for example a button. */
  readonly aside?: Markup | undefined;
  /** The clock of test mode, if the page has changed it. Absent: that of the context. */
  readonly clock?: ShownClock;
  /** After how many seconds the browser opens the page again. Absent: never. */
  readonly refreshSeconds?: number | undefined;
  /** 200 if absent. */
  readonly status?: 200 | 400 | 403 | 404 | 409 | 429 | 500;
}

/** A file that the browser saves. */
export interface DashboardFile {
  readonly file: { readonly name: string } & ({ readonly text: string } | { readonly pdf: Uint8Array });
}

/** An HTML document of its own in a frame of a page: what somebody else will see, such as a mail. It runs nothing and loads nothing. */
export interface DashboardFrame {
  readonly frame: string;
}

export interface DashboardRequest {
  readonly context: DashboardContext;
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The address that the gateway saw. */
  readonly sourceIp: string;
}

export interface DashboardPage {
  /** Below `/{account}/{mode}`, in Hono's syntax, for example `/invoices/:id`. */
  readonly path: string;
  /** What the user must be able to do. Most pages need `account:read`. */
  readonly ability: Ability;
  /** Returns undefined if the record does not exist: the user sees a page with status 404. */
  readonly handle: (
    request: DashboardRequest,
  ) => Promise<DashboardView | DashboardFile | DashboardFrame | undefined>;
}

export interface ActionRequest extends DashboardRequest {
  /** The fields of the form, without the CSRF token and the attempt. */
  readonly form: URLSearchParams;
  /** The form's attempt: the idempotency key of this action. Two clicks send the same attempt. */
  readonly attempt: string;
  readonly requestId: string;
  /** Derives 32 secret bytes. The same session, attempt and purpose give the same bytes. */
  readonly deriveSecret: (purpose: string) => Buffer;
}

/** After an action: a redirect to a page with an optional notice, or a view (a failed form, or a secret shown once). */
export type ActionResult =
  | { readonly redirectTo: string; readonly notice?: NoticeKey }
  | { readonly view: DashboardView };

/**
 * What remains of a form that was sent after its session had ended, or with a sign-in that is too old: all fields but the
 * secrets. A page that anyone at the screen can open contains them.
 */
export interface TypedForm {
  /** The names of the fields that are secret. */
  readonly secrets?: readonly string[];
  /** Shows the form with the values of `request.form` and with `failure`, and changes nothing. */
  readonly showAgain: (
    request: ActionRequest,
    failure: { readonly alert: string; readonly status: 403 },
  ) => Promise<ActionResult | undefined>;
}

export interface DashboardAction {
  /** Below `/{account}/{mode}`, in Hono's syntax, for example `/invoices/:id/cancel`. */
  readonly path: string;
  readonly ability: Ability;
  /** What the user must also be able to do if a field of the form has a value. */
  readonly alsoNeeds?: { readonly ability: Ability; readonly field: string; readonly value: string };
  /**
   * The names of the fields that the form always sends. A form without one of them, or with one twice, has no effect: what its
   * sender meant is not known.
   */
  readonly fields?: readonly string[];
  /** The names of fields that the form can leave out. Browsers send check boxes only if they are checked. */
  readonly optionalFields?: readonly string[];
  /** The page with the form, below `/{account}/{mode}`. The user returns there after a new sign-in. */
  readonly formPage: (params: Readonly<Record<string, string>>) => string;
  /** How the form is shown again after a new sign-in. Absent if it has no text that a user typed. */
  readonly typed?: TypedForm;
  /** Returns undefined if the record does not exist: the user sees a page with status 404. */
  readonly handle: (request: ActionRequest) => Promise<ActionResult | undefined>;
}
