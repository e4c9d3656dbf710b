/**
 * Which connection carries which symbol. A symbol stays where it is, because moving it would be a gap; a new one goes where
 * there is room, on as few connections as it takes: each one is a slot of the app key.
 */

/** Numbers of connections, from 0, by the key of what they carry. */
export type Placement = ReadonlyMap<string, number>

/**
 * @param keys - All that is wanted, in the order in which it was named.
 * @param capacities - How many symbols each connection takes, by its number.
 * @returns Where each goes, and what found no room.
 */
export function place(
  keys: Iterable<string>,
  before: Placement,
  capacities: readonly number[],
): { readonly placement: Placement; readonly left: readonly string[] } {
  const room = [...capacities]
  const placement = new Map<string, number>()
  const fresh: string[] = []
  for (const key of keys) {
    const at = before.get(key)
    const left = at === undefined ? 0 : (room[at] ?? 0)
    if (at === undefined || left === 0) {
      fresh.push(key)
      continue
    }
    room[at] = left - 1
    placement.set(key, at)
  }
  const left: string[] = []
  let at = 0
  for (const key of fresh) {
    while (at < room.length && room[at] === 0) at += 1
    if (at === room.length) {
      left.push(key)
      continue
    }
    room[at] = (room[at] ?? 0) - 1
    placement.set(key, at)
  }
  return { placement, left }
}
