/**
 * Finds the records in a file of vectors: objects inside arrays, however deep, that have `path` (HTTP) or
 * `requestHex` (stream). What else the JSON holds is no business of ours.
 */
import { isRecord } from '@brokerwire/core/internal'

/** A record as it stands in the file, with where it stands, for example `client[12]`. */
export interface VectorRecord {
  readonly where: string
  readonly kind: 'http' | 'stream'
  readonly fields: Readonly<Record<string, unknown>>
}

/** All records of a parsed file, in its order. Walks with a list of its own: nesting cannot exhaust the stack. */
export function findRecords(json: unknown): readonly VectorRecord[] {
  const records: VectorRecord[] = []
  const pending: { readonly value: unknown; readonly where: string; readonly inArray: boolean }[] = [
    { value: json, where: '', inArray: false },
  ]
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { value, where, inArray } = place
    const kind = inArray ? kindOf(value) : undefined
    if (kind !== undefined) {
      records.push({ where, kind, fields: value as Record<string, unknown> })
    } else if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index -= 1) {
        pending.push({ value: value[index], where: `${where}[${index}]`, inArray: true })
      }
    } else if (isRecord(value)) {
      for (const [name, item] of Object.entries(value).reverse()) {
        pending.push({ value: item, where: where === '' ? name : `${where}.${name}`, inArray: false })
      }
    }
  }
  return records
}

function kindOf(value: unknown): VectorRecord['kind'] | undefined {
  if (!isRecord(value)) return undefined
  if ('requestHex' in value) return 'stream'
  return 'path' in value ? 'http' : undefined
}
