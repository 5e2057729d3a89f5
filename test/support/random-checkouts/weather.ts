/**
 * Decides how a provider does at each time of a run: it is down, loses requests or answers, stores server errors, has too many
 * requests, does not accept the key for hours or for a day, or lacks the balance for refunds.
 */
import type { InjectedFault } from '../../../infra/local/provider-doubles/common/faults.ts';
import type { ProviderDouble } from '../../../infra/local/provider-doubles/common/provider-double.ts';
import type { HostedProviderName } from '../../../shared/domain/payments/provider/hosted-provider.ts';
import { seededNumber } from '../seeded-random.ts';
import { dayMs, hourMs, minuteMs } from './stories.ts';

type Weather = 'calm' | 'lossy' | 'busy' | 'down' | 'revoked' | 'closed' | 'no balance' | 'slow refunds';

/** The share of the hours that a kind of weather takes. The rest is calm. */
const shares: readonly (readonly [Weather, number])[] = [
  ['lossy', 0.2],
  ['busy', 0.05],
  ['down', 0.07],
  ['revoked', 0.06],
  ['no balance', 0.12],
  ['slow refunds', 0.15],
];

/** How long a kind of weather lasts at least, in milliseconds. */
const changesAfterMs = 30 * minuteMs;

/** Returns the weather of a provider. The merchant's account is closed once, for 30 hours. */
export function weatherAt(seed: number, provider: HostedProviderName, atMs: number): Weather {
  const closedAt = (0.5 + 2 * seededNumber(seed, provider, 'closed')) * dayMs;
  if (atMs >= closedAt && atMs < closedAt + 30 * hourMs) return 'closed';
  let number = seededNumber(seed, provider, 'weather', Math.floor(atMs / changesAfterMs));
  for (const [weather, share] of shares) {
    if (number < share) return weather;
    number -= share;
  }
  return 'calm';
}

const errorOf = (type: string, description: string) =>
  JSON.stringify({ error: { type, code: type, description, message: description } });
const answer = (status: number, text: string): InjectedFault => ({
  kind: 'answer',
  status,
  body: errorOf(text, text),
});
/** The faults of the requests in a kind of weather, and the share of the requests that each meets. */
const faultsIn: Partial<Record<Weather, readonly (readonly [InjectedFault, number])[]>> = {
  lossy: [
    [{ kind: 'lose', when: 'before' }, 0.1],
    [{ kind: 'lose', when: 'after' }, 0.12],
    [{ ...answer(500, 'api_error'), when: 'before' } as InjectedFault, 0.08],
    [{ ...answer(500, 'api_error'), when: 'after' } as InjectedFault, 0.08],
  ],
  busy: [[answer(429, 'rate_limit'), 0.3]],
  down: [[answer(503, 'unavailable'), 1]],
  revoked: [[answer(401, 'api_key_expired'), 1]],
  closed: [[answer(401, 'account_closed'), 1]],
};

/** Makes a double do as the weather is. @param now the time since the begin of the run, in milliseconds */
export function injectWeather(
  double: ProviderDouble,
  provider: HostedProviderName,
  seed: number,
  now: () => number,
): void {
  for (const [weather, faults] of Object.entries(faultsIn)) {
    for (const [index, [fault, share]] of faults.entries()) {
      double.faults.inject({
        fault,
        times: Number.POSITIVE_INFINITY,
        on: () =>
          weatherAt(seed, provider, now()) === weather &&
          seededNumber(seed, provider, weather, index, double.requests.length) < share,
      });
    }
  }
}

/** Sets what is not a fault: the balance, and whether refunds take days. */
export function setWeather(double: ProviderDouble, weather: Weather): void {
  double.behavior.balanceMinor = weather === 'no balance' ? 0 : undefined;
  double.pendingRefunds = weather === 'slow refunds';
}
