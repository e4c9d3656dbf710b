/**
 * Pages of lists, in the forms of both families (packages/operations/OPERATIONS.md, pagination). In the new
 * family, each page except the last one contains an opaque key, with which the next page is requested. In the
 * old family, the next page is requested with the id of the last item.
 */
import type { RouteResponse } from '../routes/route-response.ts'
import { type FieldValues, optionalInteger, optionalText } from './fields.ts'
import { fieldRejection } from './rejection.ts'

/**
 * A family of paths. Responses of `'new'` have the form of version 3, those of `'old'` the form of version 2.
 */
export type PathFamily = 'new' | 'old'

export interface PageRequest<T> {
  readonly family: PathFamily
  readonly fields: FieldValues
  /** The items, in order. */
  readonly items: Iterable<T>
  /** Returns the ids of an item. The key of a page contains the first id of its last item. */
  readonly getIds: (item: T) => readonly string[]
  readonly toView: (item: T) => unknown
  /** Page size of the new family. */
  readonly pageSize: number
  /**
   * Rules of the old family: the bounds of the page size, and the names of the parameters that may contain
   * the cursor. The first of these parameters that is set is used.
   */
  readonly old: {
    readonly cursors: readonly string[]
    readonly min: number
    readonly max: number
    readonly default: number
    readonly unknown: (id: string) => Error
  }
}

/**
 * Returns the response with one page.
 *
 * @throws TradingRejection if the key, the cursor or the page size is invalid.
 */
export function page<T>(request: PageRequest<T>): RouteResponse {
  const { family, fields, items, getIds, toView, old } = request
  if (family === 'old') {
    const size = optionalInteger(fields, 'page_size', old) ?? old.default
    const [after] = old.cursors.flatMap((name) => optionalText(fields, name) ?? [])
    const found = take(items, getIds, after, size)
    if (found === undefined) throw old.unknown(after ?? '')
    return { status: 200, json: found.items.map(toView) }
  }
  const key = optionalText(fields, 'pagination_key')
  const after = key === undefined ? undefined : decodeKey(key)
  const found = take(items, getIds, after, request.pageSize)
  if (found === undefined) throw fieldRejection('pagination_key', 'the key of an earlier page')
  const last = found.items.at(-1)
  const data = found.items.map(toView)
  const next = found.hasMore && last !== undefined ? { pagination_key: encodeKey(getIds(last)[0] ?? '') } : {}
  return { status: 200, json: { data, ...next } }
}

/**
 * Takes the items of a page, which begins after the item with the id `after`.
 *
 * @returns `undefined` if no item has this id.
 */
function take<T>(
  items: Iterable<T>,
  getIds: (item: T) => readonly string[],
  after: string | undefined,
  size: number,
): { readonly items: readonly T[]; readonly hasMore: boolean } | undefined {
  const found: T[] = []
  let isBegun = after === undefined
  for (const item of items) {
    if (!isBegun) isBegun = getIds(item).includes(after ?? '')
    else if (found.length === size) return { items: found, hasMore: true }
    else found.push(item)
  }
  return isBegun ? { items: found, hasMore: false } : undefined
}

const KEY_PREFIX = 'after:'

function encodeKey(id: string): string {
  return Buffer.from(KEY_PREFIX + id).toString('base64url')
}

function decodeKey(key: string): string {
  const text = Buffer.from(key, 'base64url').toString()
  if (text.startsWith(KEY_PREFIX) && encodeKey(text.slice(KEY_PREFIX.length)) === key) {
    return text.slice(KEY_PREFIX.length)
  }
  throw fieldRejection('pagination_key', 'the key of an earlier page')
}
