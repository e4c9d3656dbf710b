/**
 * Why a request's canonical string could stand for another request as well. The string is not injective: separators
 * inside names and values look like separators between them. THREATS.md shows each way with its test.
 */
import { SIGNED_HEADERS } from './assemble.ts'
import type { CanonicalParts } from './canonical.ts'
import { ORDERS } from './order.ts'
import type { QueryPair } from './query.ts'

const STRAY_PERCENT = /%(?![\dA-Fa-f]{2})/
const DIGEST_SHAPE = /^(?:[\dA-F]{32}|[\dA-F]{64})$/

/** Reasons that lie in the values of one repeated name. */
function repeatedReason(values: readonly string[], parts: CanonicalParts): string | undefined {
  const compare = ORDERS[parts.nameOrder ?? 'code-point']
  for (const [i, value] of values.entries()) {
    if (i === 0) continue
    if (compare(values[i - 1] as string, value) > 0)
      return 'values of a repeated name are not in signed order'
    if (value.includes('=')) return '= in a value of a repeated name'
    if (DIGEST_SHAPE.test(value)) return 'a value of a repeated name looks like a digest'
  }
  return undefined
}

/**
 * @param parts - The request's parts, the query in the order in which it arrived.
 * @param target - The raw request target.
 * @returns The first reason, or `undefined` where no other request shares the canonical string.
 */
export function ambiguity(parts: CanonicalParts, target: string): string | undefined {
  if (parts.path.includes('&')) return '& in the path'
  if (STRAY_PERCENT.test(target.slice(parts.path.length))) return 'a malformed escape in the query'
  for (const text of [parts.host, parts.appKey, parts.nonce]) {
    if (text.includes('&')) return '& in a signed header'
  }
  const values = new Map<string, string[]>()
  for (const [name, value] of (parts.query ?? []) as readonly QueryPair[]) {
    if (/[&=]/.test(name)) return '& or = in a query name'
    if (value.includes('&')) return '& in a query value'
    if ((SIGNED_HEADERS as readonly string[]).includes(name)) return 'a query name equals a signed header'
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  for (const list of values.values()) {
    const reason = repeatedReason(list, parts)
    if (reason !== undefined) return reason
  }
  return undefined
}
