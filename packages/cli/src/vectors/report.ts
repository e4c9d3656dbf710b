/** Checks all records of a file and formats the results. */
import { escapeControlChars } from '@brokerwire/core'
import { checkVector, type VectorResult } from './check.ts'
import type { VectorRecord } from './records.ts'

/** Maximum number of mismatches that are shown. */
const MAX_SHOWN = 5

/** Results of a file of vectors. */
export interface VectorReport {
  readonly passed: number
  readonly failed: number
  /** Descriptions of the first mismatches, with several lines each. */
  readonly mismatches: readonly string[]
}

/** Checks records one by one. */
export async function checkVectors(records: readonly VectorRecord[]): Promise<VectorReport> {
  let passed = 0
  let failed = 0
  const mismatches: string[] = []
  for (const record of records) {
    const result = await checkVector(record)
    if (result.ok) passed += 1
    else {
      failed += 1
      if (mismatches.length < MAX_SHOWN) mismatches.push(describeMismatch(record, result))
    }
  }
  return { passed, failed, mismatches }
}

function describeMismatch(record: VectorRecord, result: Exclude<VectorResult, { ok: true }>): string {
  const name = typeof record.fields.name === 'string' ? ` "${record.fields.name}"` : ''
  // The place is escaped, because keys and names come from the file.
  const place = escapeControlChars(`${record.where}${name}`, 300)
  const at = result.step === 'record' ? undefined : firstDifference(result.expected, result.received)
  return [
    `${place}: the ${result.step} differs${at === undefined ? '' : ` from character ${at + 1} on`}`,
    `  expected ${escapeControlChars(excerpt(result.expected, at))}`,
    `  received ${escapeControlChars(excerpt(result.received, at))}`,
  ].join('\n')
}

function firstDifference(one: string, other: string): number {
  let index = 0
  while (index < one.length && one[index] === other[index]) index += 1
  return index
}

/** Returns the text around the difference. A short text is shown completely. */
function excerpt(text: string, at: number | undefined): string {
  if (text.length <= 160 || at === undefined) return text
  const start = Math.max(0, at - 40)
  const end = Math.min(text.length, at + 100)
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}
