/** Runs `brokerwire decode`. */
import { escapeControlChars } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { createPayloads, formatPath, type Issue, isPayloadsError } from '@brokerwire/payloads'
import { readLines } from '../decode/lines.ts'
import { type ParsedEvent, type PayloadKind, parseEvent } from '../decode/parse-event.ts'
import { readRecords } from '../decode/records.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readChunks } from '../input-stream.ts'
import type { GuardedIo } from '../io.ts'
import { withoutRaw } from '../listen/json-line.ts'
import { eventLine } from '../render/event-line.ts'
import { renderLine } from '../render/line.ts'
import { createPaint, type Paint } from '../render/palette.ts'

interface DecodeFlags {
  readonly as?: PayloadKind
  readonly eventType?: string
  readonly strict?: boolean
  readonly json?: boolean
}

/** An unknown or invalid field. */
interface Finding {
  readonly field: string
  readonly code: string
  readonly expected: string
  readonly excerpt?: string | undefined
}

/**
 * Maximum size of an object. A message of 4 MiB with its decoded payload is smaller, even if every character
 * is escaped.
 */
const MAX_BYTES = 64 * 1024 * 1024

export const run: Run<DecodeFlags> = async ({ flags, io }) => {
  const payloads = createPayloads({ mode: flags.strict ? 'strict' : 'lenient' })
  const print = (flags.json ? jsonPrinter : textPrinter)(io, createPaint(io.color))
  let status: number = EXIT.done
  for await (const record of readRecords(readLines(readChunks(io), MAX_BYTES), MAX_BYTES)) {
    if (!('value' in record)) {
      print.invalid(record, null, [{ field: 'payload', code: 'not-json', expected: record.expected }])
      status = EXIT.no
      continue
    }
    const read = parseEvent(record.value, record.text, { payloads, as: flags.as, eventType: flags.eventType })
    if (read === 'no-event') continue
    if ('problem' in read) {
      print.invalid(record, null, [{ code: 'wrong-type', ...read.problem }])
      status = EXIT.no
      continue
    }
    const { event } = read
    const result = event.decode()
    if (result.ok) print.event(record, read, result.value, result.issues.map(toFinding))
    else {
      print.invalid(record, event.kind, toFindings(result.error))
      status = EXIT.no
    }
  }
  return status
}

const toFinding = ({ path, code, expected, excerpt }: Issue): Finding => ({
  field: formatPath(path),
  code,
  expected,
  excerpt,
})

function toFindings(error: Error & { readonly code: string }): readonly Finding[] {
  if (isPayloadsError(error, 'PAYLOAD_INVALID')) return error.details.problems.map(toFinding)
  return [{ field: 'payload', code: error.code, expected: error.message.replace(/^payload: expected /, '') }]
}

interface Position {
  readonly line: number
  readonly column?: number | undefined
}

interface Printer {
  event(
    place: Position,
    read: Extract<ParsedEvent, { readonly event: unknown }>,
    decoded: object,
    findings: readonly Finding[],
  ): void
  invalid(place: Position, kind: string | null, findings: readonly Finding[]): void
}

/** Maximum number of findings that are shown for a payload. --json has all of them. */
const MAX_FINDINGS = 20
/** Maximum length of a field name, because the sender chooses it. */
const MAX_CHARACTERS = 500

function textPrinter(io: GuardedIo, paint: Paint): Printer {
  const printFindings = ({ line, column }: Position, what: string, findings: readonly Finding[]): void => {
    const at = `line ${line}${column === undefined ? '' : `, column ${column}`}`
    for (const { field, code, expected, excerpt } of findings.slice(0, MAX_FINDINGS)) {
      const got = excerpt === undefined ? '' : `, got ${excerpt}`
      const how = code === 'missing' ? 'missing, ' : ''
      io.err(escapeControlChars(`${at}: ${what}${field}: ${how}expected ${expected}${got}`, MAX_CHARACTERS))
    }
    const more = findings.length - MAX_FINDINGS
    if (more > 0) io.err(`${at}: ${what}and ${more} more`)
  }
  return {
    event(place, { event, receivedAtMs }, _, findings) {
      io.out(renderLine(eventLine(event, receivedAtMs ?? `line ${place.line}`), paint))
      printFindings(place, 'note: ', findings)
    },
    invalid: (place, _, findings) => printFindings(place, '', findings),
  }
}

function jsonPrinter(io: GuardedIo): Printer {
  const out = (value: object): void => io.out(escapeJsonControlChars(JSON.stringify(value)))
  return {
    event({ line }, { event: { kind } }, decoded, issues) {
      out({ line, ok: true, kind, decoded: withoutRaw(decoded), issues })
    },
    invalid({ line, column }, kind, problems) {
      out({ line, column, ok: false, kind, problems })
    },
  }
}
