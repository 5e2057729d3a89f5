import { env } from '../../base/env.ts';
import { eventId, type Owner } from '../../base/ids.ts';
import type { OpenLog } from '../../store/append-to-logs.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import type { FailedAction, TransactionItem } from '../../store/transactions.ts';
import { draftEvent } from '../events/event.ts';
import { summarizeDocument } from './document.ts';
import { type InvoiceNumber, type StoredDocument, toDocumentItem } from './document-item.ts';
import type { DocumentOrder } from './document-order.ts';
import { type CountedSeries, type DocumentPlan, DocumentPlanner } from './document-planner.ts';
import { type DocumentSources, type ProfileItems, readSources } from './document-sources-store.ts';

/**
 * The documents of an owner. It numbers them in the order of their events, without a gap: one transaction raises the last number of a
 * series, and puts the documents with the events for which they are issued.
 */
export class DocumentLog implements OpenLog {
  readonly #owner: Owner;
  #sources: DocumentSources;
  #missing: readonly DocumentOrder[] = [];
  #plan: DocumentPlan = { series: new Map(), numbers: new Map(), documents: new Map() };

  private constructor(owner: Owner, sources: DocumentSources) {
    this.#owner = owner;
    this.#sources = sources;
  }

  /**
   * Opens the documents.
   * @param orders all that will be added
   * @param profile the items of the account and its seller, as they were read
   * @returns the log, the orders from which documents follow, and why documents cannot be made, by their ids
   * @throws the error of DynamoDB
   */
  static async open(
    owner: Owner,
    orders: readonly DocumentOrder[],
    profile: ProfileItems,
  ): Promise<{
    readonly log: DocumentLog;
    readonly followed: ReadonlySet<DocumentOrder>;
    readonly failures: ReadonlyMap<string, MalformedItemError>;
  }> {
    const sources = await readSources(owner, orders, profile);
    const log = new DocumentLog(owner, sources);
    const failures = new Map<string, MalformedItemError>();
    const followed = new Set<DocumentOrder>();
    const planner = log.#planner();
    for (const order of orders) {
      try {
        if (planner.add(order)) followed.add(order);
      } catch (error) {
        if (!(error instanceof MalformedItemError)) throw error;
        failures.set(order.id, error);
      }
    }
    return { log, followed, failures };
  }

  /** Adds documents to issue, in their order. Those that exist are left as they are. */
  add(orders: readonly DocumentOrder[]): void {
    this.#missing = [...this.#missing, ...orders];
  }

  /** Returns the event that announces a document. Its body is known when the actions are. */
  eventOf({ id, at }: DocumentOrder): EventDraft {
    const { mode } = this.#owner;
    const documentOf = () => this.#plan.documents.get(id) ?? this.#sources.documentOf(id);
    return {
      id: eventId(id, 1, 'document.issued', at),
      type: 'document.issued',
      get body() {
        const document = documentOf();
        if (!document) throw new Error(`The document ${id} is not planned.`);
        const event = { id, objectVersion: 1, mode };
        return draftEvent('document.issued', event, at, summarizeDocument(document)).body;
      },
    };
  }

  actions(): readonly TransactionItem[] {
    const planner = this.#planner();
    for (const order of this.#missing) planner.add(order);
    this.#plan = planner;
    return [
      ...[...planner.series.values()].map((series) => this.#raise(series)),
      ...[...planner.numbers].map(([invoice, number]) => this.#putNumber(invoice, number)),
      ...[...planner.documents.values()].map((document) => this.#putDocument(document)),
    ];
  }

  onWritten(): void {
    const { series, numbers, documents } = this.#plan;
    const last = new Map([...series].map(([name, counted]) => [name, counted.last]));
    this.#sources.learn({ numbers, documents, last });
    this.#missing = [];
  }

  async onRefused(failed: readonly FailedAction[]): Promise<boolean> {
    this.#sources = await this.#sources.readAgain();
    return failed.some((action) => action.failed);
  }

  #planner(): DocumentPlanner {
    return new DocumentPlanner(this.#owner, this.#sources);
  }

  #raise({ series: { kind, prefix }, last, stored }: CountedSeries): TransactionItem {
    return {
      Update: {
        TableName: env.tableName(),
        Key: tableKeys.series(this.#owner, kind, prefix),
        UpdateExpression: 'SET #last = :last',
        ExpressionAttributeNames: { '#last': 'last' },
        ...(stored === 0
          ? {
              ConditionExpression: 'attribute_not_exists(pk)',
              ExpressionAttributeValues: { ':last': last },
            }
          : {
              ConditionExpression: '#last = :stored',
              ExpressionAttributeValues: { ':last': last, ':stored': stored },
            }),
      },
    };
  }

  #putNumber(invoice: string, number: InvoiceNumber): TransactionItem {
    const { account, mode } = this.#owner;
    return {
      Put: {
        TableName: env.tableName(),
        Item: { ...tableKeys.invoiceNumber(invoice), ...number, account, mode },
        ...(number.version === 1
          ? { ConditionExpression: 'attribute_not_exists(pk)' }
          : {
              ConditionExpression: '#version = :stored',
              ExpressionAttributeNames: { '#version': 'version' },
              ExpressionAttributeValues: { ':stored': number.version - 1 },
            }),
      },
    };
  }

  #putDocument(document: StoredDocument): TransactionItem {
    return {
      Put: {
        TableName: env.tableName(),
        Item: toDocumentItem(document),
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    };
  }
}
