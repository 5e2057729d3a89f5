/** Validates for how long a replaced secret or API key still works. */
import * as v from 'valibot';

/** The maximum number of hours. */
export const maxOverlapHours = 168;
export const defaultOverlapHours = 24;

const message = `overlapHours must be an integer from 0 to ${maxOverlapHours}.`;

export const overlapHoursSchema = v.nullish(
  v.pipe(v.number(message), v.integer(message), v.minValue(0, message), v.maxValue(maxOverlapHours, message)),
  defaultOverlapHours,
);
