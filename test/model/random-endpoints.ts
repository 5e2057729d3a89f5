/**
 * Creates the webhook endpoints of a run and changes them during the run, through the API and under faults.
 *
 * Each endpoint has one scenario, so that the audit knows how its deliveries must have ended.
 */

import type { Instant } from '../../shared/base/time.ts';
import { commonEventTypes, eventTypes } from '../../shared/domain/events/event.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import type { EndpointHistory, EndpointScenario } from './audit-endpoints.ts';
import type { ClientAccount } from './random-clients.ts';
import type { RandomReceivers } from './random-receivers.ts';

export interface RandomEndpointOptions {
  readonly seed: number;
  readonly accounts: readonly ClientAccount[];
  readonly receivers: RandomReceivers;
  readonly now: () => Instant;
}

/** An endpoint as its owner knows it. */
interface ManagedEndpoint {
  readonly account: ClientAccount;
  readonly history: EndpointHistory;
  readonly path: string;
  secret: string;
  isEnabled: boolean;
  disabledAt: Instant;
}

const hourMs = 60 * 60_000;
const scenarios: readonly EndpointScenario[] = ['moved', 'rotated', 'paused', 'deleted', 'gone', 'failing'];
/** An endpoint cannot have more secrets at the same time. */
const maxRotations = 4;
/** One successful call is enough, but each attempt may meet a fault. */
const maxAttempts = 50;

export class RandomEndpoints {
  /** Calls that the API refused although it should accept them. */
  readonly unexpectedRefusals: string[] = [];
  readonly #options: RandomEndpointOptions;
  readonly #endpoints: ManagedEndpoint[] = [];
  readonly #runningChanges = new Map<ManagedEndpoint, Promise<void>>();
  readonly #startedAt: Instant;
  #callCount = 0;
  #rounds = 0;

  constructor(options: RandomEndpointOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  get histories(): readonly EndpointHistory[] {
    return this.#endpoints.map(({ history }) => history);
  }

  /** Creates a steady endpoint for each owner, and one endpoint for each other scenario, spread over the owners. */
  async create(): Promise<void> {
    const { accounts } = this.#options;
    const others = scenarios.map((scenario, index) => [accounts[index % accounts.length], scenario] as const);
    const all = [...accounts.map((account) => [account, 'steady'] as const), ...others];
    for (const [account, scenario] of all) if (account) await this.#createOne(account, scenario);
  }

  /** Starts changes on some endpoints. Skips an endpoint whose last change is still running. */
  changeSome(): void {
    const round = this.#rounds++;
    for (const endpoint of this.#endpoints) {
      if (this.#runningChanges.has(endpoint)) continue;
      const random = seededRandom(this.#options.seed, 'endpoint', endpoint.history.name, round);
      if (!random.chance(0.4)) continue;
      const change = this.#change(endpoint, random)
        .catch((error) => this.unexpectedRefusals.push(String(error)))
        .then(() => void this.#runningChanges.delete(endpoint));
      this.#runningChanges.set(endpoint, change);
    }
  }

  /** Waits for running changes, then deletes the deleted endpoint and disables the paused one. */
  async finishChanges(): Promise<void> {
    await Promise.all(this.#runningChanges.values());
    for (const endpoint of this.#withScenario('deleted')) await this.#delete(endpoint);
    for (const endpoint of this.#withScenario('paused')) {
      await this.#setEnabled(endpoint, false);
      endpoint.disabledAt = this.#options.now();
    }
  }

  /** Enables the paused endpoint and recovers what it missed. Redelivers an old delivery to some other endpoints. */
  async resume(): Promise<void> {
    const { seed, now } = this.#options;
    for (const endpoint of this.#withScenario('paused')) {
      endpoint.history.disabledDuring = { from: endpoint.disabledAt, to: now() };
      await this.#setEnabled(endpoint, true);
      await this.#recover(endpoint);
    }
    for (const endpoint of [...this.#withScenario('moved'), ...this.#withScenario('rotated')]) {
      await this.#redeliver(endpoint, seededRandom(seed, 'late', endpoint.history.name));
    }
  }

  #withScenario(scenario: EndpointScenario): readonly ManagedEndpoint[] {
    return this.#endpoints.filter(({ history }) => history.scenario === scenario);
  }

  async #createOne(account: ClientAccount, scenario: EndpointScenario): Promise<void> {
    const { receivers, seed } = this.#options;
    const name = `${scenario}-${this.#endpoints.length}`;
    const path = `/${name}/0`;
    const events = chooseSubscription(scenario, seededRandom(seed, 'subscription', name));
    const url = this.#urlOf(account, path);
    const { status, json } = await account.api.post('/api/webhooks', { url, events });
    if (status !== 201) throw new Error(`The endpoint ${name} was not created: ${JSON.stringify(json)}.`);
    receivers.setBehavior(name, scenario === 'failing' || scenario === 'gone' ? scenario : 'unreliable');
    receivers.trust(path, json.secret);
    const history: EndpointHistory = {
      id: json.id,
      owner: account.owner,
      name,
      scenario,
      subscriptions: [events],
      movedAt: [],
      rotations: [],
      idempotencyKeys: [],
    };
    this.#endpoints.push({ account, history, path, secret: json.secret, isEnabled: true, disabledAt: 0 });
  }

  async #change(endpoint: ManagedEndpoint, random: Random): Promise<void> {
    switch (endpoint.history.scenario) {
      case 'steady':
        return this.#redeliver(endpoint, random);
      case 'moved':
        return this.#move(endpoint, random);
      case 'rotated':
        if (endpoint.history.rotations.length < maxRotations) return this.#rotate(endpoint, random);
        break;
      case 'paused':
        if (endpoint.isEnabled && random.chance(0.4)) return this.#recover(endpoint);
        return this.#setEnabled(endpoint, !endpoint.isEnabled);
      case 'deleted':
        if (random.chance(0.2)) return this.#delete(endpoint);
    }
  }

  /** Redelivers one of the newest deliveries. */
  async #redeliver(endpoint: ManagedEndpoint, random: Random): Promise<void> {
    const { json } = await this.#send(endpoint, 'GET', '/deliveries');
    const delivery = random.pick(json.data as { id: string }[]);
    // A request that crashed holds its lease, and later ones are refused until the clock moves.
    const path = `/deliveries/${delivery?.id}/redeliver`;
    if (delivery) await this.#send(endpoint, 'POST', path, { acceptedStatus: 429 });
  }

  async #move(endpoint: ManagedEndpoint, random: Random): Promise<void> {
    const { account, history, secret } = endpoint;
    const path = `/${history.name}/${history.movedAt.length + 1}`;
    const events = chooseSubscription(history.scenario, random);
    // The change may take effect even if no response arrives.
    history.subscriptions.push(events);
    this.#options.receivers.trust(path, secret);
    await this.#patch(endpoint, { url: this.#urlOf(account, path), events });
    history.movedAt.push(this.#options.now());
  }

  /**
   * Rotates the secret, always with an overlap. Without one, the receiver could not verify a message that is signed with
   * the new secret before the response with that secret arrives.
   */
  async #rotate(endpoint: ManagedEndpoint, random: Random): Promise<void> {
    const { history, path } = endpoint;
    const overlapHours = random.pick([1, 2]) ?? 1;
    const key = `rotation ${history.rotations.length} of ${history.name}`;
    const { json } = await this.#send(endpoint, 'POST', '/rotate-secret', { body: { overlapHours }, key });
    history.idempotencyKeys.push(key);
    endpoint.secret = json.secret;
    this.#options.receivers.trust(path, json.secret);
    history.rotations.push({ at: this.#options.now(), overlapMs: overlapHours * hourMs });
  }

  async #setEnabled(endpoint: ManagedEndpoint, isEnabled: boolean): Promise<void> {
    await this.#patch(endpoint, { status: isEnabled ? 'enabled' : 'disabled' });
    endpoint.isEnabled = isEnabled;
  }

  /** Under a key, so that a first attempt that nobody waits for has no effect after later changes. */
  async #patch(endpoint: ManagedEndpoint, body: object): Promise<void> {
    const { history } = endpoint;
    const key = `change ${history.idempotencyKeys.length} of ${history.name}`;
    history.idempotencyKeys.push(key);
    await this.#send(endpoint, 'PATCH', '', { body, key });
  }

  async #recover(endpoint: ManagedEndpoint): Promise<void> {
    const since = new Date(this.#startedAt).toISOString();
    await this.#send(endpoint, 'POST', '/recover', { body: { since } });
  }

  async #delete(endpoint: ManagedEndpoint): Promise<void> {
    if (endpoint.history.deletedAt !== undefined) return;
    await this.#send(endpoint, 'DELETE', '', { acceptedStatus: 404 });
    endpoint.history.deletedAt = this.#options.now();
  }

  #urlOf({ owner }: ClientAccount, path: string): string {
    return this.#options.receivers.urlOf(owner.split('#')[1] ?? '', path);
  }

  /**
   * Repeats the call until a response confirms its effect.
   * @param acceptedStatus of an error that also ends the call
   */
  async #send(
    { account, history }: ManagedEndpoint,
    method: string,
    path: string,
    { body, key, acceptedStatus }: { body?: object; key?: string; acceptedStatus?: number } = {},
  ): Promise<HttpResponse> {
    const url = `/api/webhooks/${history.id}${path}`;
    let last: HttpResponse | undefined;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const label = `webhook-call-${this.#callCount++}`;
      const headers = { [invocationHeader]: label, ...(key !== undefined && { 'Idempotency-Key': key }) };
      last = await account.api.send(method, url, { headers, body }).catch(() => undefined);
      if (last && (last.status < 300 || last.status === acceptedStatus)) return last;
      if (last && last.status < 500) break;
    }
    throw new Error(`${method} ${url} of ${history.name} was refused: ${last?.text}`);
  }
}

/**
 * Chooses the event types of a new subscription. All scenarios except `failing` include `invoice.created`. A failing
 * receiver gets rare events only, because each delivery to it needs ten attempts.
 */
function chooseSubscription(scenario: EndpointScenario, random: Random): readonly string[] {
  if (scenario === 'rotated') return eventTypes;
  if (scenario === 'gone') return ['invoice.created'];
  if (scenario === 'failing') return ['payment.failed', 'refund.failed'];
  if (scenario !== 'moved') return ['*'];
  const others = [...commonEventTypes, ...eventTypes].filter(() => random.chance(0.5));
  return [...new Set(['invoice.created', ...others])];
}
