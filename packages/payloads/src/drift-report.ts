/**
 * Counts differences from the documents over many payloads, for alerts. Findings of one kind share an entry,
 * because array indices are removed from the path. The number of entries is limited. Use it with strict mode,
 * which has the most findings.
 */
import { type FieldsOf, integer, readOptions } from '@brokerwire/core/internal'
import type { DecodeResult } from './decode.ts'
import { formatPath, type Issue, type IssueCode } from './issue.ts'
import { isPayloadsError, optionInvalid, type PayloadsErrorCode } from './payloads-error.ts'

/** One kind of finding with its count. */
export interface DriftEntry {
  /** Name of the payload from `add()`, for example `'order'` or `'FUNDING/TRANSFER'`. */
  readonly payload: string
  /** Code of the issue, or of the error if the payload could not be decoded. */
  readonly code: IssueCode | PayloadsErrorCode
  /** Path without array indices, such as `fees[].type`. */
  readonly path: string
  /** Expected value or type, for people. */
  readonly expected: string
  /** Excerpt of the first such finding. */
  readonly excerpt?: string | undefined
  /** Number of such findings. */
  readonly count: number
}

/** Counts findings over many payloads. */
export interface DriftReport {
  /** Adds the findings of one result. */
  add(payload: string, result: DecodeResult<unknown>): void
  /** Returns the entries, the most frequent first. */
  entries(): readonly DriftEntry[]
  /** Number of payloads that were added. */
  readonly payloads: number
  /** Number of findings that have no entry, because the report had `maxEntries` entries. */
  readonly unlisted: number
}

/** Options of {@link createDriftReport}. */
export interface DriftReportOptions {
  /** Maximum number of entries, from 1 to 100000. @defaultValue 1000 */
  readonly maxEntries?: number | undefined
}

const DRIFT_REPORT_OPTIONS = {
  maxEntries: integer({ min: 1, max: 100_000, default: 1000 }),
} satisfies FieldsOf<DriftReportOptions>

/**
 * Creates an empty report of differences.
 *
 * @throws PayloadsError `PAYLOAD_OPTION_INVALID` if an option is invalid.
 *
 * @example
 * ```ts
 * import { createDriftReport } from '@brokerwire/payloads'
 *
 * const report = createDriftReport({ maxEntries: 100 })
 * console.log(report.entries())
 * ```
 */
export function createDriftReport(options: DriftReportOptions = {}): DriftReport {
  const { maxEntries } = readOptions(optionInvalid, options, DRIFT_REPORT_OPTIONS)
  const entries = new Map<string, DriftEntry>()
  let payloads = 0
  let unlisted = 0

  const count = (finding: Omit<DriftEntry, 'count'>): void => {
    const { payload, code, path, expected } = finding
    // Findings of different unknown values are counted separately.
    const key = JSON.stringify([
      payload,
      code,
      path,
      expected,
      code === 'unknown-value' ? finding.excerpt : '',
    ])
    const known = entries.get(key)
    if (known === undefined && entries.size >= maxEntries) unlisted += 1
    else entries.set(key, { ...(known ?? finding), count: (known?.count ?? 0) + 1 })
  }

  return {
    add(payload, result) {
      payloads += 1
      for (const { code, path, expected, excerpt } of getFindings(result)) {
        const normalizedPath = formatPath(path).replace(/\[\d+\]/g, '[]')
        count({
          payload,
          code,
          path: normalizedPath,
          expected,
          ...(excerpt === undefined ? {} : { excerpt }),
        })
      }
    },
    entries: () => [...entries.values()].sort((a, b) => b.count - a.count),
    get payloads() {
      return payloads
    },
    get unlisted() {
      return unlisted
    },
  }
}

type Finding = Omit<Issue, 'code'> & { readonly code: DriftEntry['code'] }

function getFindings(result: DecodeResult<unknown>): readonly Finding[] {
  if (result.ok) return result.issues
  const { error } = result
  if (isPayloadsError(error, 'PAYLOAD_INVALID')) return error.details.problems
  const { code, details } = error
  return [{ code, path: [], expected: 'expected' in details ? details.expected : '' }]
}
