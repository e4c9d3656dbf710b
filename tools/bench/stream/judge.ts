/** Goals beside figures, and the order of contenders in a round. */
import { GOALS } from './parts.ts'

/** `goal: at least 3, ok`. */
export function judge(name: string, value: number): string {
  const { atLeast, atMost } = GOALS[name] ?? {}
  if (atLeast !== undefined) return `goal: at least ${atLeast}, ${value >= atLeast ? 'ok' : 'missed'}`
  if (atMost !== undefined) return `goal: at most ${atMost}, ${value <= atMost ? 'ok' : 'missed'}`
  return ''
}

/** Each round begins with another contender, so that nobody always follows the same neighbour. */
export function rotated<T>(items: readonly T[], turn: number): T[] {
  const at = items.length === 0 ? 0 : turn % items.length
  const order = [...items.slice(at), ...items.slice(0, at)]
  return turn % 2 === 0 ? order : order.reverse()
}
