/** Compares secrets. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether both are the same, in constant time: digests have one length. */
export function isSameText(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
