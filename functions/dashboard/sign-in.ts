/** The sign-in and sign-out of the dashboard, the user's sessions, and the acceptance of invitations. */

import { honoHandler } from '../../shared/api/http/hono-handler.ts';
import { createSignInApp } from '../../shared/web/dashboard/sign-in/sign-in-app.ts';

export const handler = honoHandler(createSignInApp());
