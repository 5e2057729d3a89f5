/**
 * The webhook endpoints of a run, and what their owners do to them meanwhile, through the API and under its faults.
 * Each endpoint has a lot of its own, so that in the end it can be said what must have become of its deliveries.
 */
import { commonEventTypes, eventTypes } from '../../shared/events/event.ts';
import type { Instant } from '../../shared/time.ts';
import type { EndpointLife, Lot } from './audit-endpoints.ts';
import type { ClientAccount } from './history-clients.ts';
import type { HistoryReceivers } from './history-receivers.ts';
import type { HttpResponse } from './http.ts';
import { invocationHeader } from './invocations.ts';
import { type Dice, diceOf } from './seeded-random.ts';

export interface EndpointOptions {
  readonly seed: number;
  readonly accounts: readonly ClientAccount[];
  readonly receivers: HistoryReceivers;
  readonly now: () => Instant;
}

/** An endpoint as its owner knows it. */
interface Endpoint {
  readonly account: ClientAccount;
  readonly life: EndpointLife;
  readonly path: string;
  secret: string;
  enabled: boolean;
  disabledAt: Instant;
}

const hourMs = 60 * 60_000;
const lots: readonly Lot[] = ['moved', 'rotated', 'paused', 'deleted', 'gone', 'dead'];
/** More secrets cannot sign at once. */
const maxRotations = 4;
/** Once is enough, but a fault may hit each repetition. */
const maxAttempts = 50;

export class RandomEndpoints {
  /** What was not to be refused, and was. */
  readonly refusals: string[] = [];
  readonly #options: EndpointOptions;
  readonly #endpoints: Endpoint[] = [];
  readonly #busy = new Map<Endpoint, Promise<void>>();
  readonly #began: Instant;
  #calls = 0;
  #times = 0;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#began = options.now();
  }

  get lives(): readonly EndpointLife[] {
    return this.#endpoints.map(({ life }) => life);
  }

  /** One for each owner that nobody touches, and one of every other lot, dealt out among the owners. */
  async create(): Promise<void> {
    const { accounts } = this.#options;
    const dealt = lots.map((lot, place) => [accounts[place % accounts.length], lot] as const);
    const all = [...accounts.map((account) => [account, 'steady'] as const), ...dealt];
    for (const [account, lot] of all) if (account) await this.#createOne(account, lot);
  }

  /** Some owners do something now, if they are not at it still. */
  act(): void {
    const time = this.#times++;
    for (const endpoint of this.#endpoints) {
      if (this.#busy.has(endpoint)) continue;
      const dice = diceOf(this.#options.seed, 'endpoint', endpoint.life.name, time);
      if (!dice.chance(0.4)) continue;
      const deed = this.#act(endpoint, dice).catch((error) => this.refusals.push(String(error)));
      const done = deed.then(() => void this.#busy.delete(endpoint));
      this.#busy.set(endpoint, done);
    }
  }

  /** Once all deeds are done, what was to be deleted is deleted, and what was to be paused is disabled for long. */
  async finish(): Promise<void> {
    await Promise.all(this.#busy.values());
    for (const endpoint of this.#of('deleted')) await this.#delete(endpoint);
    for (const endpoint of this.#of('paused')) {
      await this.#enable(endpoint, false);
      endpoint.disabledAt = this.#options.now();
    }
  }

  /** Much later: who was disabled asks for all that was missed, and the others for something that they have had. */
  async resume(): Promise<void> {
    const { seed, now } = this.#options;
    for (const endpoint of this.#of('paused')) {
      endpoint.life.paused = { from: endpoint.disabledAt, to: now() };
      await this.#enable(endpoint, true);
      await this.#recover(endpoint);
    }
    for (const endpoint of [...this.#of('moved'), ...this.#of('rotated')]) {
      await this.#redeliver(endpoint, diceOf(seed, 'late', endpoint.life.name));
    }
  }

  #of(lot: Lot): readonly Endpoint[] {
    return this.#endpoints.filter(({ life }) => life.lot === lot);
  }

  async #createOne(account: ClientAccount, lot: Lot): Promise<void> {
    const { receivers, seed } = this.#options;
    const name = `${lot}-${this.#endpoints.length}`;
    const path = `/${name}/0`;
    const events = wishOf(lot, diceOf(seed, 'wish', name));
    const url = this.#urlOf(account, path);
    const { status, json } = await account.api.post('/api/webhooks', { url, events });
    if (status !== 201) throw new Error(`An endpoint was not created: ${JSON.stringify(json)}`);
    receivers.behave(name, lot === 'dead' || lot === 'gone' ? lot : 'moody');
    receivers.trust(path, json.secret);
    const { owner } = account;
    const life = { id: json.id, owner, name, lot, wishes: [events], movedAt: [], rotations: [], keys: [] };
    this.#endpoints.push({ account, life, path, secret: json.secret, enabled: true, disabledAt: 0 });
  }

  async #act(endpoint: Endpoint, dice: Dice): Promise<void> {
    switch (endpoint.life.lot) {
      case 'steady':
        return this.#redeliver(endpoint, dice);
      case 'moved':
        return this.#move(endpoint, dice);
      case 'rotated':
        if (endpoint.life.rotations.length < maxRotations) return this.#rotate(endpoint, dice);
        break;
      case 'paused':
        if (endpoint.enabled && dice.chance(0.4)) return this.#recover(endpoint);
        return this.#enable(endpoint, !endpoint.enabled);
      case 'deleted':
        if (dice.chance(0.2)) return this.#delete(endpoint);
    }
  }

  /** One of the newest. */
  async #redeliver(endpoint: Endpoint, dice: Dice): Promise<void> {
    const { json } = await this.#send(endpoint, 'GET', '/deliveries');
    const delivery = dice.pick(json.data as { id: string }[]);
    if (delivery) await this.#send(endpoint, 'POST', `/deliveries/${delivery.id}/redeliver`);
  }

  async #move(endpoint: Endpoint, dice: Dice): Promise<void> {
    const { account, life, secret } = endpoint;
    const path = `/${life.name}/${life.movedAt.length + 1}`;
    const events = wishOf(life.lot, dice);
    // It may come about although nobody is told.
    life.wishes.push(events);
    this.#options.receivers.trust(path, secret);
    await this.#send(endpoint, 'PATCH', '', { body: { url: this.#urlOf(account, path), events } });
    life.movedAt.push(this.#options.now());
  }

  /** Not without an overlap: what is signed before the answer with the new secret has come could not be verified. */
  async #rotate(endpoint: Endpoint, dice: Dice): Promise<void> {
    const { life, path } = endpoint;
    const overlapHours = dice.pick([1, 2]) ?? 1;
    const key = `rotation ${life.rotations.length} of ${life.name}`;
    const { json } = await this.#send(endpoint, 'POST', '/rotate-secret', { body: { overlapHours }, key });
    life.keys.push(key);
    endpoint.secret = json.secret;
    this.#options.receivers.trust(path, json.secret);
    life.rotations.push({ at: this.#options.now(), overlapMs: overlapHours * hourMs });
  }

  async #enable(endpoint: Endpoint, enabled: boolean): Promise<void> {
    await this.#send(endpoint, 'PATCH', '', { body: { status: enabled ? 'enabled' : 'disabled' } });
    endpoint.enabled = enabled;
  }

  async #recover(endpoint: Endpoint): Promise<void> {
    await this.#send(endpoint, 'POST', '/recover', { body: { since: new Date(this.#began).toISOString() } });
  }

  async #delete(endpoint: Endpoint): Promise<void> {
    if (endpoint.life.deletedAt !== undefined) return;
    await this.#send(endpoint, 'DELETE', '');
    endpoint.life.deletedAt = this.#options.now();
  }

  #urlOf({ owner }: ClientAccount, path: string): string {
    return this.#options.receivers.urlOf(owner.split('#')[1] ?? '', path);
  }

  /** Until it is answered that it is so. */
  async #send(
    { account, life }: Endpoint,
    method: string,
    path: string,
    { body, key }: { body?: object; key?: string } = {},
  ): Promise<HttpResponse> {
    const url = `/api/webhooks/${life.id}${path}`;
    let last: HttpResponse | undefined;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const label = `webhook-call-${this.#calls++}`;
      const headers = { [invocationHeader]: label, ...(key !== undefined && { 'Idempotency-Key': key }) };
      last = await account.api.send(method, url, { headers, body }).catch(() => undefined);
      const isDone = last && (last.status < 300 || (method === 'DELETE' && last.status === 404));
      if (last && isDone) return last;
      if (last && last.status < 500) break;
    }
    throw new Error(`${method} ${url} of ${life.name} was refused: ${last?.text}`);
  }
}

/** What endpoints ask for. All are told when an invoice is made; the receivers of dead ones are asked ten times each time. */
function wishOf(lot: Lot, dice: Dice): readonly string[] {
  if (lot === 'rotated') return eventTypes;
  if (lot === 'gone') return ['invoice.created'];
  if (lot === 'dead') return ['payment.failed', 'refund.failed'];
  if (lot !== 'moved') return ['*'];
  const others = [...commonEventTypes, ...eventTypes].filter(() => dice.chance(0.5));
  return [...new Set(['invoice.created', ...others])];
}
