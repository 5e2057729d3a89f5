/** Skips tests with a webhook receiver if the service is remote, because it cannot reach receivers on this machine. */
import { test } from '@jest/globals';
import { isLoopback } from '../../infra/loopback.ts';

export const testIfLocal = isLoopback(process.env.REMIT_URL ?? 'http://localhost') ? test : test.skip;
