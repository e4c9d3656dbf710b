/** Runs `brokerwire decode`. */
import { printable } from '@brokerwire/core'
import { printableJson } from '@brokerwire/core/internal'
import { createPayloads, type Issue, isPayloadsError, formatPath } from '@brokerwire/payloads'
import { readLines } from '../decode/lines.ts'
import { type PayloadKind, type ReadEvent, readEvent } from '../decode/read-event.ts'
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

/** Longest object: fits a message of 4 MiB with its decoded payload, even if every character is escaped. */
const MAX_BYTES = 64 * 1024 * 1024

export const run: Run<DecodeFlags> = async ({ flags, io }) => {
  const payloads = createPayloads({ mode: flags.strict ? 'strict' : 'lenient' })
  const print = (flags.json ? jsonPrinter : textPrinter)(io, createPaint(io.color))
  let status: number = EXIT.done
  for await (const record of readRecords(readLines(readChunks(io), MAX_BYTES), MAX_BYTES)) {
    if (!('value' in record)) {
      print.wrong(record, null, [{ field: 'payload', code: 'not-json', expected: record.expected }])
      status = EXIT.no
      continue
    }
    const read = readEvent(record.value, record.text, { payloads, as: flags.as, eventType: flags.eventType })
    if (read === 'no-event') continue
    if ('problem' in read) {
      print.wrong(record, null, [{ code: 'wrong-type', ...read.problem }])
      status = EXIT.no
      continue
    }
    const { event } = read
    const result = event.decode()
    if (result.ok) print.event(record, read, result.value, result.issues.map(findingOf))
    else {
      print.wrong(record, event.kind, findingsOf(result.error))
      status = EXIT.no
    }
  }
  return status
}

const findingOf = ({ path, code, expected, excerpt }: Issue): Finding => ({
  field: formatPath(path),
  code,
  expected,
  excerpt,
})

function findingsOf(error: Error & { readonly code: string }): readonly Finding[] {
  if (isPayloadsError(error, 'PAYLOAD_INVALID')) return error.details.problems.map(findingOf)
  return [{ field: 'payload', code: error.code, expected: error.message.replace(/^payload: expected /, '') }]
}

interface Place {
  readonly line: number
  readonly column?: number | undefined
}

interface Printer {
  event(
    place: Place,
    read: Extract<ReadEvent, { readonly event: unknown }>,
    decoded: object,
    findings: readonly Finding[],
  ): void
  wrong(place: Place, kind: string | null, findings: readonly Finding[]): void
}

/** More findings of one payload are omitted; --json has all. */
const MOST_FINDINGS = 20
/** The sender chooses field names, which may be long. */
const MOST_CHARACTERS = 500

function textPrinter(io: GuardedIo, paint: Paint): Printer {
  const say = ({ line, column }: Place, what: string, findings: readonly Finding[]): void => {
    const at = `line ${line}${column === undefined ? '' : `, column ${column}`}`
    for (const { field, code, expected, excerpt } of findings.slice(0, MOST_FINDINGS)) {
      const got = excerpt === undefined ? '' : `, got ${excerpt}`
      const how = code === 'missing' ? 'missing, ' : ''
      io.err(printable(`${at}: ${what}${field}: ${how}expected ${expected}${got}`, MOST_CHARACTERS))
    }
    const more = findings.length - MOST_FINDINGS
    if (more > 0) io.err(`${at}: ${what}and ${more} more`)
  }
  return {
    event(place, { event, receivedAtMs }, _, findings) {
      io.out(renderLine(eventLine(event, receivedAtMs ?? `line ${place.line}`), paint))
      say(place, 'note: ', findings)
    },
    wrong: (place, _, findings) => say(place, '', findings),
  }
}

function jsonPrinter(io: GuardedIo): Printer {
  const out = (value: object): void => io.out(printableJson(JSON.stringify(value)))
  return {
    event({ line }, { event: { kind } }, decoded, issues) {
      out({ line, ok: true, kind, decoded: withoutRaw(decoded), issues })
    },
    wrong({ line, column }, kind, problems) {
      out({ line, column, ok: false, kind, problems })
    },
  }
}
