/**
 * Finds the records in a file of vectors: objects at any depth that have `path` (HTTP) or `requestHex` (stream). Other
 * JSON is ignored.
 */
import { isRecord } from '@brokerwire/core/internal'

/** A record and its path in the file, for example `client[12]`. */
export interface VectorRecord {
  readonly where: string
  readonly kind: 'http' | 'stream'
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Returns all records of a parsed file, in order. It uses its own stack, so that deep nesting cannot overflow
 * the call stack.
 */
export function findRecords(json: unknown): readonly VectorRecord[] {
  const records: VectorRecord[] = []
  const pending: { readonly value: unknown; readonly where: string; readonly inArray: boolean }[] = [
    { value: json, where: '', inArray: false },
  ]
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    const { value, where, inArray } = item
    const kind = inArray ? getKind(value) : undefined
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

function getKind(value: unknown): VectorRecord['kind'] | undefined {
  if (!isRecord(value)) return undefined
  if ('requestHex' in value) return 'stream'
  return 'path' in value ? 'http' : undefined
}
