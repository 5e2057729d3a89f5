/** Does what the payers, merchants, banks and providers of the stories do, and notes what came of it. */
import type { ProviderDouble } from '../../../infra/local/provider-doubles/common/provider-double.ts';
import { newBehavior } from '../../../infra/local/provider-doubles/common/provider-double.ts';
import { type Api, invoiceBody } from '../api.ts';
import { payButtonOf, pressPay } from '../checkouts.ts';
import { openPage } from '../pay-page.ts';
import type { Act, Story } from './stories.ts';

/** What the actors of a story share. */
export interface StoryContext {
  readonly double: ProviderDouble;
  readonly api: Api;
  /** Returns the keys of the checkouts of an invoice. */
  readonly keysOf: (invoiceId: string) => Promise<ReadonlySet<string>>;
}

/** A story while it happens. */
export class StoryPerformance {
  readonly story: Story;
  readonly #stage: StoryContext;
  /** One line for each act, with what came of it. */
  readonly history: string[] = [];
  /** What must never happen. */
  readonly faults: string[] = [];
  invoice: { readonly id: string; readonly paymentUrl: string } | undefined;
  /** The checkouts at the provider, oldest first. */
  readonly #references: string[] = [];
  readonly #pages: string[] = [];
  #dispute: string | undefined;

  constructor(story: Story, stage: StoryContext) {
    this.story = story;
    this.#stage = stage;
  }

  /** Does one act. An error of a connection is an outcome: the stack can be killed at any time. */
  async perform(atMs: number, act: Act): Promise<void> {
    let outcome: string;
    try {
      outcome = await this.#act(act);
    } catch (error) {
      outcome = String((error as Error).message);
      // Actors of the provider throw if the money is not there. All other errors come from the service.
      if (!isConnectionError(error) && !isAtProvider(act)) this.faults.push(`${act.does}: ${outcome}`);
    }
    this.history.push(`${(atMs / 3_600_000).toFixed(2)} h: ${JSON.stringify(act)} → ${outcome}`);
  }

  async #act(act: Act): Promise<string> {
    const { double } = this.#stage;
    const reference = this.#references.at(-1);
    const invoice = await this.#begin();
    switch (act.does) {
      case 'press':
        return this.#press(invoice.paymentUrl, act.tabs);
      case 'pay': {
        if (reference === undefined) return 'no page';
        Object.assign(double.behavior, act.behavior);
        const isOpen = double.act(reference, act.action);
        const { balanceMinor } = double.behavior;
        Object.assign(double.behavior, newBehavior(), { balanceMinor });
        return `${reference} ${isOpen ? 'open' : 'ended'}`;
      }
      case 'pay on page':
        return this.#payOnPage(invoice.paymentUrl, act.separator);
      case 'bank decides':
        for (const each of this.#references.toReversed()) {
          try {
            double.settle(each, act.outcome);
            return each;
          } catch {}
        }
        return 'nothing waits';
      case 'cancel':
      case 'change':
      case 'offline':
        return this.#change(invoice.id, act.does, act.force);
      case 'refund':
        return this.#refund(invoice.id, act.share);
      case 'resolve':
        return this.#resolve(invoice.id, act.action);
      case 'refund at provider': {
        const [booked] = await this.#booked(invoice.id);
        if (!booked) return 'no money';
        return double.refundInDashboard(
          booked.reference,
          Math.max(100, Math.floor(booked.amountMinor * act.share)),
        );
      }
      case 'dispute': {
        const [booked] = await this.#booked(invoice.id);
        if (!booked) return 'no money';
        this.#dispute = double.openDispute(booked.reference, act.kind);
        return this.#dispute;
      }
      case 'close dispute':
        if (this.#dispute === undefined) return 'no dispute';
        double.closeDispute(this.#dispute, act.outcome);
        return this.#dispute;
    }
  }

  async #begin() {
    if (this.invoice) return this.invoice;
    const currency = this.story.provider === 'stripe' ? 'USD' : 'INR';
    const body = { ...invoiceBody(), amount: this.story.amountMinor, currency };
    const { json, status, text } = await this.#stage.api.post('/api/invoices', body);
    if (status !== 201) throw new Error(`The invoice is not created: ${status} ${text}`);
    this.invoice = { id: json.id, paymentUrl: json.paymentUrl };
    return this.invoice;
  }

  async #press(paymentUrl: string, tabs: number): Promise<string> {
    const page = await openPage(paymentUrl);
    if (!page.text.includes('name="provider"')) return `no button (${page.status})`;
    const fields = payButtonOf(page);
    const presses = Array.from({ length: tabs }, () => pressPay(paymentUrl, fields));
    const answers = await Promise.allSettled(presses);
    const outcomes = answers.map((answer) => {
      if (answer.status === 'rejected') return 'no answer';
      const { status, headers } = answer.value;
      const found = /\/(?:c\/pay|i)\/(\w+)/.exec(headers.location ?? '')?.[1];
      if (found !== undefined && !this.#references.includes(found)) {
        this.#references.push(found);
        this.#pages.push(headers.location ?? '');
      }
      return `${status} ${found ?? headers.location ?? ''}`;
    });
    return outcomes.join(', ');
  }

  /** Follows the redirects of the provider, sends its form, and opens the page to which the provider returns the payer. */
  async #payOnPage(paymentUrl: string, separator: '&' | '?'): Promise<string> {
    const page = this.#pages.at(-1);
    if (page === undefined) return 'no page';
    const { double } = this.#stage;
    const opened = await fetch(page);
    await opened.text();
    double.behavior.callbackSeparator = separator;
    const paid = await fetch(opened.url, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ action: 'pay' }),
    });
    await paid.text();
    const back = paid.headers.get('location');
    if (back === null) return `ended (${paid.status})`;
    const returned = await openPage(paymentUrl, new URL(back).search);
    return `paid, returned with ${new URL(back).search.slice(0, 60)}: ${returned.status}`;
  }

  async #change(id: string, does: 'cancel' | 'change' | 'offline', force: boolean): Promise<string> {
    const { api } = this.#stage;
    const query = force ? '?force=payment_in_progress' : '';
    const amount = this.story.amountMinor + 700;
    const answer =
      does === 'cancel'
        ? await api.delete(`/api/invoices/${id}${query}`)
        : does === 'change'
          ? await api.patch(`/api/invoices/${id}${query}`, { amount })
          : await api.post(`/api/payments${query}`, { invoiceId: id, method: 'offline' });
    const code = answer.json?.error?.code ?? '';
    if (force && code === 'payment_in_progress') this.faults.push(`${does}: the invoice is locked`);
    if (answer.status >= 500) this.faults.push(`${does}: ${answer.status} ${answer.text}`);
    return `${answer.status} ${code}`;
  }

  async #refund(id: string, share: number): Promise<string> {
    const payment = (await this.#payments(id)).find(({ status }) => status === 'completed');
    if (!payment) return 'no payment';
    const amount = Math.max(100, Math.floor(payment.amount * share));
    const { status, json } = await this.#stage.api.post('/api/refunds', { paymentId: payment.id, amount });
    return `${status} ${json?.id ?? json?.error?.code}`;
  }

  async #resolve(id: string, action: 'accept' | 'refund'): Promise<string> {
    const held = (await this.#payments(id)).find(({ pendingReason }) => pendingReason === 'amount_differs');
    if (!held) return 'nothing is held';
    const { status, json } = await this.#stage.api.post(`/api/payments/${held.id}/resolve`, { action });
    return `${status} ${json?.error?.code ?? held.id}`;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  async #payments(id: string): Promise<any[]> {
    return (await this.#stage.api.get(`/api/payments?invoiceId=${id}&limit=50`)).json.data ?? [];
  }

  /** The money that the provider received for the invoice, the latest first. */
  async #booked(id: string) {
    const keys = await this.#stage.keysOf(id);
    const books = this.#stage.double.books();
    return books.filter(({ key }) => key !== undefined && keys.has(key)).toReversed();
  }
}

const isAtProvider = ({ does }: Act): boolean =>
  does === 'refund at provider' || does === 'dispute' || does === 'close dispute';

const connectionCodes = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET'];

/** Whether the stack was killed while it answered. Errors of Node are of another realm in a test. */
export function isConnectionError(error: unknown): boolean {
  const { code = '', cause, message } = error as Error & { code?: string };
  if (connectionCodes.includes(code) || message === 'aborted' || message === 'socket hang up') return true;
  return cause !== undefined && isConnectionError(cause);
}
