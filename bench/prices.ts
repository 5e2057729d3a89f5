/**
 * The list prices of AWS in dollars, without free tiers, and the assumptions of the cost benchmarks. `docs/operate/costs.md` uses
 * the same ones. Prices change: compare them with the price lists, and change the date here.
 */

export const priceList = { region: 'us-east-1', date: '2026-11-20' } as const;

export const prices = {
  /** DynamoDB on demand, for each unit. */
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  /** A GB of the table for a month, and of its continuous backup. */
  tableGb: 0.25,
  backupGb: 0.2,
  /** A request to API Gateway (REST). */
  gatewayRequest: 3.5e-6,
  /** A call of a function, and a second at 1 GB. */
  functionCall: 0.2e-6,
  functionSecond: 13.33e-6,
  /** A call of SQS. */
  queueCall: 0.4e-6,
  /** A GB of logs. */
  logGb: 0.5,
} as const;

export const assumptions = {
  /** How long a function runs, in seconds. */
  requestSeconds: 0.05,
  relaySeconds: 0.1,
  deliverySeconds: 0.2,
  /** What a function writes to the log, in bytes. */
  logBytes: 1_300,
  /** The calls of the queue for each message: send, receive, delete. */
  callsPerMessage: 3,
  /** An idle deployment, for a month. */
  idleDollars: 4.5,
  /** DynamoDB adds this to each stored item, in bytes. */
  itemOverheadBytes: 100,
  daysPerMonth: 30.4,
} as const;

/** Returns the dollars for write and read units of DynamoDB. */
export const priceOfUnits = ({ write, read }: { readonly write: number; readonly read: number }): number =>
  write * prices.writeUnit + read * prices.readUnit;

/** Returns the dollars for calls of a function with 1 GB that each run for `seconds`. */
export const priceOfCalls = (calls: number, seconds: number): number =>
  calls * (prices.functionCall + seconds * prices.functionSecond);

/** Returns the dollars for the logs of calls of a function. */
export const priceOfLogs = (calls: number): number => calls * assumptions.logBytes * 1e-9 * prices.logGb;
