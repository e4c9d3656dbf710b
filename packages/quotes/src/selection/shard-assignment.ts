/**
 * The assignment of symbols to connections. A symbol keeps its connection, because moving it would cause a gap. New symbols
 * fill as few connections as possible, because each one uses a slot of the app key.
 */

/** Index of the connection, from 0, by subscription key. */
export type ShardAssignment = ReadonlyMap<string, number>

/**
 * @param keys - Keys of the desired subscriptions, in their order.
 * @param capacities - Capacity of each connection, in symbols.
 * @returns The assignment, and the keys for which no connection has capacity.
 */
export function assignShards(
  keys: Iterable<string>,
  before: ShardAssignment,
  capacities: readonly number[],
): { readonly assignment: ShardAssignment; readonly unassigned: readonly string[] } {
  const capacity = [...capacities]
  const assignment = new Map<string, number>()
  const fresh: string[] = []
  for (const key of keys) {
    const at = before.get(key)
    const left = at === undefined ? 0 : (capacity[at] ?? 0)
    if (at === undefined || left === 0) {
      fresh.push(key)
      continue
    }
    capacity[at] = left - 1
    assignment.set(key, at)
  }
  const unassigned: string[] = []
  let at = 0
  for (const key of fresh) {
    while (at < capacity.length && capacity[at] === 0) at += 1
    if (at === capacity.length) {
      unassigned.push(key)
      continue
    }
    capacity[at] = (capacity[at] ?? 0) - 1
    assignment.set(key, at)
  }
  return { assignment, unassigned }
}
