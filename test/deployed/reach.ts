/** Whether the service can reach what listens on this machine, as a deployment elsewhere cannot. */
import { test } from '@jest/globals';
import { isLoopback } from '../../infra/local/environment.ts';

export const testHere = isLoopback(process.env.REMIT_URL ?? 'http://localhost') ? test : test.skip;
