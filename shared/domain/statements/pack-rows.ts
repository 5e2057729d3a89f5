/**
 * Divides the rows of a long statement into requests. Pure.
 *
 * Rows that agree in day, amount and reference are in one request, because their place among each other is part of their ids.
 */

/** How many rows a statement has at most. */
export const maxRows = 500;

/** The largest body of a request is 64 KiB. Bank and currency take the rest. */
const maxBytes = 60 * 1024;

/** What makes rows agree. */
interface PackedRow {
  readonly day: string;
  readonly amount: number;
  readonly reference?: string | null | undefined;
}

const bytesOf = (rows: readonly PackedRow[]): number => Buffer.byteLength(JSON.stringify(rows));

/**
 * Returns the rows of each request, in the order of their first rows.
 * @throws RangeError if more rows agree than a request can have
 */
export function packRows<Row extends PackedRow>(rows: readonly Row[]): Row[][] {
  const groups = Map.groupBy(rows, ({ day, amount, reference }) =>
    JSON.stringify([day, amount, reference ?? '']),
  );
  const parts: { rows: Row[]; bytes: number }[] = [];
  for (const group of groups.values()) {
    const bytes = bytesOf(group);
    if (group.length > maxRows || bytes > maxBytes)
      throw new RangeError(`${group.length} rows have the same day, amount and reference.`);
    const last = parts.at(-1);
    if (last && last.rows.length + group.length <= maxRows && last.bytes + bytes <= maxBytes) {
      last.rows.push(...group);
      last.bytes += bytes;
    } else parts.push({ rows: [...group], bytes });
  }
  return parts.map((part) => part.rows);
}
