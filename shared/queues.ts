/** The queues by name, and the environment variable under which a function finds each one's URL. Data only. */
export const queueVariables = {
  overdue: 'OVERDUE_QUEUE_URL',
  payment: 'PAYMENT_QUEUE_URL',
  refund: 'REFUND_QUEUE_URL',
  webhook: 'WEBHOOK_QUEUE_URL',
  recovery: 'RECOVERY_QUEUE_URL',
  reconciliation: 'RECONCILIATION_QUEUE_URL',
} as const;

export type QueueName = keyof typeof queueVariables;
