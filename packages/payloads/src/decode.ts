/**
 * Decoding of JSON text into typed values. Never throws: the result of a failure has the text and the error.
 *
 * Decoders need the text and its parsed value: `JSON.parse` alone loses the digits of numbers.
 */
import { describe, type FieldsOf, integer, oneOf, readOptions } from '@brokerwire/core/internal'
import { type Decoder, problemText } from './decoder.ts'
import { exactValue, type JsonText, mayLoseDigits } from './exact-values.ts'
import type { Issue, PathStep } from './issue.ts'
import { optionInvalid, PayloadsError } from './payloads-error.ts'
import { drift, type Reading, startReading, UNREADABLE } from './reading.ts'
import { parseSourceNumbers, type SourceNode, type SourceNumbers, sourceAt } from './source-numbers.ts'

/** The decoded value, or the error with the payload. */
export type DecodeResult<T> =
  | {
      readonly ok: true
      readonly value: T
      /** Lenient: omitted fields, and values that the frame replaced. Strict: every difference from the documents. */
      readonly issues: readonly Issue[]
    }
  | {
      readonly ok: false
      readonly error: PayloadsError
      /** The payload as received. */
      readonly raw: string
    }

/**
 * `'lenient'`: reads everything that needs no guess, and does not report harmless drift. `'strict'`: an unreadable
 * optional field fails the decoding, and every difference from the documents is among the issues.
 */
export type DecodeMode = 'lenient' | 'strict'

/** Options of {@link decodeJson}. */
export interface DecodeOptions {
  /** @defaultValue 'lenient' */
  readonly mode?: DecodeMode | undefined
  /** Longest text that is parsed, in UTF-16 units, from 1 to 2^30. @defaultValue 1048576 */
  readonly maxLength?: number | undefined
}

const DECODE_OPTIONS = {
  mode: oneOf(['lenient', 'strict'], 'lenient'),
  maxLength: integer({ min: 1, max: 2 ** 30, default: 1_048_576 }),
} satisfies FieldsOf<DecodeOptions>

/** Validates options. @throws PayloadsError `PAYLOAD_OPTION_INVALID`. */
export function parseDecodeOptions(options: DecodeOptions): {
  readonly strict: boolean
  readonly maxLength: number
} {
  const { mode, maxLength } = readOptions(optionInvalid, options, DECODE_OPTIONS)
  return { strict: mode === 'strict', maxLength }
}

const DEFAULTS = parseDecodeOptions({})

/**
 * Decodes JSON text. Never throws because of its input, unless a custom decoder does.
 *
 * @throws PayloadsError `PAYLOAD_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { decimal, decodeJson, record } from '@brokerwire/payloads'
 *
 * const result = decodeJson(record({ cash: decimal }), '{"cash":12.500000000000000001}')
 * if (result.ok) console.log(result.value.cash) // 12.500000000000000001
 * else console.log(result.error.message, result.raw)
 * ```
 */
export function decodeJson<T>(
  decoder: Decoder<T>,
  raw: string,
  options?: DecodeOptions | undefined,
): DecodeResult<T> {
  const { strict, maxLength } = options === undefined ? DEFAULTS : parseDecodeOptions(options)
  const json = parseJson(raw, maxLength)
  if (!json.ok) return json
  return decodeParsed(decoder, json.value, raw, strict)
}

/** Decodes what `JSON.parse` made of `raw`. Never throws. */
export function decodeParsed<T>(
  decoder: Decoder<T>,
  value: unknown,
  raw: string,
  strict: boolean,
): DecodeResult<T> {
  const json: JsonText = { text: raw, mayLoseDigits: undefined }
  const clean = strict ? undefined : decoder['~straightLine']?.(value, json)
  if (clean !== undefined) return { ok: true, value: clean, issues: NO_ISSUES }
  const reading = startReadingText(json, strict)
  return finish(reading, decoder['~read'](value, reading), raw)
}

/** The initial state for a text. The source of its numbers is parsed when it is first needed. */
export function startReadingText(json: JsonText, strict: boolean): Reading {
  let numbers: SourceNumbers | undefined
  const sourceFor = (path: readonly PathStep[]): SourceNode => {
    numbers ??= parseSourceNumbers(json.text)
    return sourceAt(numbers, path)
  }
  return startReading(strict, {
    numberAt: (path) => {
      const node = sourceFor(path)
      return typeof node === 'string' ? node : undefined
    },
    exact: (value, path) => (mayLoseDigits(json) ? exactValue(value, sourceFor(path)) : value),
  })
}

/** Parses JSON text within the limit. Never throws. */
export function parseJson(raw: string, maxLength: number): DecodeResult<unknown> {
  if (typeof raw !== 'string') return failed('PAYLOAD_NOT_JSON', `JSON text, received ${describe(raw)}`, '')
  if (raw.length > maxLength) return failed('PAYLOAD_TOO_LARGE', `at most ${maxLength} characters`, raw)
  try {
    return { ok: true, value: JSON.parse(raw), issues: NO_ISSUES }
  } catch {
    // The parser's message quotes the text, so it is not the cause.
    return failed('PAYLOAD_NOT_JSON', 'JSON text', raw)
  }
}

/** @internal */
export const NO_ISSUES: readonly Issue[] = Object.freeze([])

/** The result of a reading that has ended. */
export function finish<T>(reading: Reading, output: T | typeof UNREADABLE, raw: string): DecodeResult<T> {
  const { problems, issues, strict } = reading
  if (output === UNREADABLE) {
    const message = problems.slice(0, 3).map(problemText).join('; ')
    const more = problems.length > 3 ? `; and ${problems.length - 3} more` : ''
    const error = new PayloadsError('PAYLOAD_INVALID', `${message}${more}`, { details: { problems } })
    return { ok: false, error, raw }
  }
  if (strict) {
    for (const path of parseSourceNumbers(raw).duplicates) {
      reading.path.splice(0, reading.path.length, ...path)
      drift(reading, 'duplicate-key', 'each key once', undefined)
    }
  }
  return { ok: true, value: output, issues: issues.length === 0 ? NO_ISSUES : issues }
}

/** A failed result, for a payload that was not decoded. */
export function failed(
  code: 'PAYLOAD_NOT_JSON' | 'PAYLOAD_TOO_LARGE' | 'PAYLOAD_CONTENT_TYPE',
  expected: string,
  raw: string,
): DecodeResult<never> {
  return {
    ok: false,
    error: new PayloadsError(code, `payload: expected ${expected}`, { details: { expected } }),
    raw,
  }
}
