/** The sign-in and sign-out of the dashboard, the user's sessions, and the acceptance of invitations. */
import { createSignInApp } from '../../shared/dashboard/sign-in/sign-in-app.ts';
import { honoHandler } from '../../shared/http/hono-handler.ts';

export const handler = honoHandler(createSignInApp());
