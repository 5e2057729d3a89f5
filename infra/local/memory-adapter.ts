/** Keeps what the local issuer stores, such as its sessions and codes, in memory: its adapter for `oidc-provider`. */

interface Payload {
  readonly grantId?: string;
  readonly uid?: string;
  consumed?: number;
}

const stored = new Map<string, Payload>();

/** An adapter for one kind of values. Values stay until the process ends. */
export class MemoryAdapter {
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  async upsert(id: string, payload: Payload): Promise<void> {
    stored.set(this.#keyOf(id), payload);
  }

  async find(id: string): Promise<Payload | undefined> {
    return stored.get(this.#keyOf(id));
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    return [...stored].find(([key, payload]) => key.startsWith(this.#keyOf('')) && payload.uid === uid)?.[1];
  }

  async consume(id: string): Promise<void> {
    const payload = stored.get(this.#keyOf(id));
    if (payload) payload.consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    stored.delete(this.#keyOf(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
  }

  #keyOf(id: string): string {
    return `${this.#kind}:${id}`;
  }
}
