/** Comparison of secrets. */
import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Compares two secrets in constant time. It compares their digests, because digests always have the same
 * length.
 */
export function constantTimeEqual(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
