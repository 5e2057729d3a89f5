/** From when on lists know of a change: that it was answered, that another list has shown it, that all has settled. */
import { callKinds, type History, isDone, type Shown, shownBy } from './history.ts';
import { addShown, type Listed, listFaults, newListed } from './history-lists.ts';
import type { Life } from './history-lives.ts';
import type { Operation } from './history-operations.ts';
import type { Moments } from './history-order.ts';

/** What is wrong with any list of the history. */
export function listsFaults(
  { calls }: History,
  lives: readonly Life[],
  operations: readonly Operation[],
  of: (life: Life) => Moments,
): string[] {
  const answered = answeredPlaces(operations);
  const listed = lives.map((life) => newListed(life, of(life), listedFrom(life, of(life), answered)));
  listed.sort((a, b) => b.life.seq - a.life.seq);
  const byId = new Map(listed.map((element) => [element.life.id, element]));
  const byResource = Map.groupBy(listed, ({ life }) => life.resource);
  const lists = calls.filter((call) => callKinds[call.kind].does === 'list' && isDone(call));
  for (const call of lists) addShown(byId, call, shownBy(call));
  return lists.flatMap((call): string[] =>
    listFaults(call, (byResource.get(callKinds[call.kind].resource) as Listed[] | undefined) ?? []),
  );
}

/** Where answered writes told of a status: by id and status the first place at which one of them had been answered. */
function answeredPlaces(operations: readonly Operation[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const add = (id: unknown, status: unknown, end: number) =>
    places.set(`${id} ${status}`, Math.min(places.get(`${id} ${status}`) ?? end, end));
  for (const { first, text, end } of operations) {
    if (text === undefined || first.kind === 'update') continue;
    const { id, status, invoiceId } = JSON.parse(text) as Shown & { invoiceId?: string };
    add(id, status, end);
    if (first.kind === 'pay' && status === 'completed') add(invoiceId, 'paid', end);
  }
  return places;
}

/** A change is in all lists once it was answered, first-hand or again, or once everything has settled. */
function listedFrom(
  { id, states }: Life,
  { settled }: Moments,
  answered: ReadonlyMap<string, number>,
): number[] {
  const from = states.map(({ shown: { status } }, index) => {
    if (states[index - 1]?.shown.status === status) return Number.POSITIVE_INFINITY;
    const told = answered.get(`${id} ${status}`) ?? Number.POSITIVE_INFINITY;
    return Math.min(settled[index + 1] ?? Number.POSITIVE_INFINITY, told);
  });
  return [0, ...from];
}
