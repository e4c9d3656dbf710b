/**
 * Decoding of JSON text into typed values. It never throws: the result of a failure has the text and the
 * error. Decoders need the text and its parsed value, because `JSON.parse` alone loses digits of numbers.
 */
import { type FieldsOf, integer, oneOf, readOptions, typeName } from '@brokerwire/core/internal'
import { createContext, type DecodeContext, INVALID, reportDrift } from './decode-context.ts'
import { type Decoder, formatProblem } from './decoder.ts'
import { exactValue, type JsonText, mayLoseDigits } from './exact-values.ts'
import type { Issue, PathStep } from './issue.ts'
import { optionInvalid, PayloadsError } from './payloads-error.ts'
import { parseSourceNumbers, type SourceNode, type SourceNumbers, sourceAt } from './source-numbers.ts'

/** The decoded value, or the error with the payload. */
export type DecodeResult<T> =
  | {
      /** Always `true` for a decoded payload. */
      readonly ok: true
      /** The decoded value of the payload. */
      readonly value: T
      /**
       * In lenient mode: omitted invalid fields, values that were replaced with those of the frame, and
       * numbers that lost digits for a custom schema. In strict mode: every difference from the documents.
       */
      readonly issues: readonly Issue[]
    }
  | {
      /** Always `false` for a payload that cannot be decoded. */
      readonly ok: false
      /** The reason of the failure. */
      readonly error: PayloadsError
      /** The payload as received. */
      readonly raw: string
    }

/**
 * Mode of decoding. `'lenient'` accepts differences from the documents if the value is clear, and omits invalid optional fields.
 * `'strict'` fails for an invalid optional field, and reports every difference from the documents as an issue.
 */
export type DecodeMode = 'lenient' | 'strict'

/** Options of {@link decodeJson}. */
export interface DecodeOptions {
  /** Whether differences from the documents are accepted or reported. @defaultValue 'lenient' */
  readonly mode?: DecodeMode | undefined
  /** Maximum length of the JSON text in UTF-16 code units, from 1 to 2^30. @defaultValue 1048576 */
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
 * Decodes JSON text. Does not throw for any text, unless a custom decoder throws.
 *
 * @throws PayloadsError `PAYLOAD_OPTION_INVALID` if an option is invalid.
 *
 * @example
 * ```ts
 * import { decimal, decodeJson, object } from '@brokerwire/payloads'
 *
 * const result = decodeJson(object({ cash: decimal }), '{"cash":12.500000000000000001}')
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

/** Decodes JSON text whose length the caller has limited. Never throws. */
export function decodeText<T>(decoder: Decoder<T>, raw: string): DecodeResult<T> {
  const json = parseJson(raw, Number.POSITIVE_INFINITY)
  return json.ok ? decodeParsed(decoder, json.value, raw, false) : json
}

/** Decodes the parsed value of the JSON text `raw`. Never throws. */
export function decodeParsed<T>(
  decoder: Decoder<T>,
  value: unknown,
  raw: string,
  strict: boolean,
): DecodeResult<T> {
  const json: JsonText = { text: raw, mayLoseDigits: undefined }
  const clean = strict ? undefined : decoder['~fastPath']?.(value, json)
  if (clean !== undefined) return { ok: true, value: clean, issues: NO_ISSUES }
  const context = createTextContext(json, strict)
  return finish(context, decoder['~decode'](value, context), raw)
}

/** Creates the context of a JSON text. The source of its numbers is parsed when it is first needed. */
export function createTextContext(json: JsonText, strict: boolean): DecodeContext {
  let numbers: SourceNumbers | undefined
  const sourceFor = (path: readonly PathStep[]): SourceNode => {
    numbers ??= parseSourceNumbers(json.text)
    return sourceAt(numbers, path)
  }
  return createContext(strict, {
    numberAt: (path) => {
      const node = sourceFor(path)
      return typeof node === 'string' ? node : undefined
    },
    exact: (value, path) => (mayLoseDigits(json) ? exactValue(value, sourceFor(path)) : value),
  })
}

/** Parses JSON text within the limit. Never throws. */
export function parseJson(raw: string, maxLength: number): DecodeResult<unknown> {
  if (typeof raw !== 'string') return failed('PAYLOAD_NOT_JSON', `JSON text, received ${typeName(raw)}`, '')
  if (raw.length > maxLength) return failed('PAYLOAD_TOO_LARGE', `at most ${maxLength} characters`, raw)
  try {
    return { ok: true, value: JSON.parse(raw), issues: NO_ISSUES }
  } catch {
    // The error of the parser is not the cause, because its message quotes the text.
    return failed('PAYLOAD_NOT_JSON', 'JSON text', raw)
  }
}

/** @internal */
export const NO_ISSUES: readonly Issue[] = Object.freeze([])

/** Creates the result of a decoding that has ended. */
export function finish<T>(context: DecodeContext, output: T | typeof INVALID, raw: string): DecodeResult<T> {
  const { problems, issues, strict } = context
  if (output === INVALID) {
    const message = problems.slice(0, 3).map(formatProblem).join('; ')
    const more = problems.length > 3 ? `; and ${problems.length - 3} more` : ''
    const error = new PayloadsError('PAYLOAD_INVALID', `${message}${more}`, { details: { problems } })
    return { ok: false, error, raw }
  }
  if (strict) {
    for (const path of parseSourceNumbers(raw).duplicates) {
      context.path.splice(0, context.path.length, ...path)
      reportDrift(context, 'duplicate-key', 'each key once', undefined)
    }
  }
  return { ok: true, value: output, issues: issues.length === 0 ? NO_ISSUES : issues }
}

/** Creates a failed result, for a payload that was not decoded. */
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
