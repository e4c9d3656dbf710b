/**
 * Schema libraries that do the same work as our decoder. Each function returns the event, or `undefined` if
 * the payload is invalid.
 */
import Ajv from 'ajv'
import { scope } from 'arktype'
import { Type as T } from 'typebox'
import { Compile } from 'typebox/compile'
import { Set as setFormat } from 'typebox/format'
import * as v from 'valibot'
import * as z from 'zod'
import * as zm from 'zod/mini'
import { payloads } from '../../../packages/payloads/src/payloads.ts'
import * as f from './fields.ts'

/** Decodes one payload. */
export type Decode = (payload: string) => object | undefined

export function decodeOrder(payload: string): object | undefined {
  const result = payloads.order({ eventType: 1024, contentType: 'application/json', payload })
  return result.ok ? result.value : undefined
}

/** Creates a decoder for a library whose parser returns the value. */
function parsing(parse: (value: unknown) => f.Checked | undefined): Decode {
  return (payload) => {
    const value = parse(JSON.parse(payload))
    return value && f.rename(value, payload)
  }
}

/** Creates a decoder for a library whose check returns a boolean. */
function checking(check: (value: unknown) => boolean): Decode {
  return parsing((value) => (check(value) ? (value as f.Checked) : undefined))
}

function zodSchema(jitless: boolean): Decode {
  // zod reads this setting when a schema is created.
  z.config({ jitless })
  const decimal = z.string().refine(f.isDecimal)
  const schema = z.looseObject({
    ...f.each(f.TEXTS, z.string()),
    ...f.each(f.OPTIONAL_TEXTS, z.string().optional()),
    ...f.each(f.DECIMALS, decimal),
    ...f.each(f.OPTIONAL_DECIMALS, decimal.optional()),
    ...f.each(f.OPTIONAL_INSTANTS, z.string().refine(f.isInstant).optional()),
    fees: z
      .array(z.looseObject({ ...f.each(f.FEE_TEXTS, z.string()), ...f.each(f.FEE_DECIMALS, decimal) }))
      .optional(),
  })
  z.config({ jitless: false })
  return parsing((value) => schema.safeParse(value).data)
}

function zodMini(): Decode {
  z.config({ jitless: true })
  const decimal = zm.string().check(zm.refine(f.isDecimal))
  const schema = zm.looseObject({
    ...f.each(f.TEXTS, zm.string()),
    ...f.each(f.OPTIONAL_TEXTS, zm.optional(zm.string())),
    ...f.each(f.DECIMALS, decimal),
    ...f.each(f.OPTIONAL_DECIMALS, zm.optional(decimal)),
    ...f.each(f.OPTIONAL_INSTANTS, zm.optional(zm.string().check(zm.refine(f.isInstant)))),
    fees: zm.optional(
      zm.array(zm.looseObject({ ...f.each(f.FEE_TEXTS, zm.string()), ...f.each(f.FEE_DECIMALS, decimal) })),
    ),
  })
  z.config({ jitless: false })
  return parsing((value) => zm.safeParse(schema, value).data)
}

function valibot(): Decode {
  const decimal = v.pipe(v.string(), v.check(f.isDecimal))
  const schema = v.looseObject({
    ...f.each(f.TEXTS, v.string()),
    ...f.each(f.OPTIONAL_TEXTS, v.optional(v.string())),
    ...f.each(f.DECIMALS, decimal),
    ...f.each(f.OPTIONAL_DECIMALS, v.optional(decimal)),
    ...f.each(f.OPTIONAL_INSTANTS, v.optional(v.pipe(v.string(), v.check(f.isInstant)))),
    fees: v.optional(
      v.array(v.looseObject({ ...f.each(f.FEE_TEXTS, v.string()), ...f.each(f.FEE_DECIMALS, decimal) })),
    ),
  })
  return parsing((value) => {
    const result = v.safeParse(schema, value)
    return result.success ? result.output : undefined
  })
}

function arktype(jitless: boolean): Decode {
  const { type } = scope({}, { jitless })
  const decimal = type('string').narrow((text) => f.isDecimal(text))
  const instant = type('string').narrow((text) => f.isInstant(text))
  const fee = type.raw({ ...f.each(f.FEE_TEXTS, 'string'), ...f.each(f.FEE_DECIMALS, decimal) })
  const schema = type.raw({
    ...f.each(f.TEXTS, 'string'),
    ...f.each(f.OPTIONAL_TEXTS.map(maybe), 'string'),
    ...f.each(f.DECIMALS, decimal),
    ...f.each(f.OPTIONAL_DECIMALS.map(maybe), decimal),
    ...f.each(f.OPTIONAL_INSTANTS.map(maybe), instant),
    'fees?': fee.array(),
  })
  return checking((value) => schema.allows(value))
}

/** Name of an optional key in the syntax of arktype. */
function maybe(name: string): string {
  return `${name}?`
}

const decimalFormat = { type: 'string', format: 'exact-decimal' } as const
const instantFormat = { type: 'string', format: 'exact-instant' } as const

function typebox(): Decode {
  setFormat(decimalFormat.format, f.isDecimal)
  setFormat(instantFormat.format, f.isInstant)
  const decimal = T.String({ format: decimalFormat.format })
  const schema = T.Object({
    ...f.each(f.TEXTS, T.String()),
    ...f.each(f.OPTIONAL_TEXTS, T.Optional(T.String())),
    ...f.each(f.DECIMALS, decimal),
    ...f.each(f.OPTIONAL_DECIMALS, T.Optional(decimal)),
    ...f.each(f.OPTIONAL_INSTANTS, T.Optional(T.String({ format: instantFormat.format }))),
    fees: T.Optional(
      T.Array(T.Object({ ...f.each(f.FEE_TEXTS, T.String()), ...f.each(f.FEE_DECIMALS, decimal) })),
    ),
  })
  const validator = Compile(schema)
  return checking((value) => validator.Check(value))
}

function ajv(): Decode {
  const text = { type: 'string' } as const
  const instance = new Ajv.default({
    formats: { [decimalFormat.format]: f.isDecimal, [instantFormat.format]: f.isInstant },
  })
  return checking(
    instance.compile({
      type: 'object',
      properties: {
        ...f.each([...f.TEXTS, ...f.OPTIONAL_TEXTS], text),
        ...f.each([...f.DECIMALS, ...f.OPTIONAL_DECIMALS], decimalFormat),
        ...f.each(f.OPTIONAL_INSTANTS, instantFormat),
        fees: {
          type: 'array',
          items: {
            type: 'object',
            properties: { ...f.each(f.FEE_TEXTS, text), ...f.each(f.FEE_DECIMALS, decimalFormat) },
            required: [...f.FEE_TEXTS, ...f.FEE_DECIMALS],
          },
        },
      },
      required: [...f.TEXTS, ...f.DECIMALS],
    }),
  )
}

/** Libraries that work in hosts that forbid `new Function`. */
export const WITHOUT_EVAL: Readonly<Record<string, Decode>> = {
  zod_jitless: zodSchema(true),
  zod_mini: zodMini(),
  valibot: valibot(),
  arktype_jitless: arktype(true),
}

/** Libraries that compile schemas with `new Function`. */
export const WITH_EVAL: Readonly<Record<string, Decode>> = {
  zod: zodSchema(false),
  arktype: arktype(false),
  typebox: typebox(),
  ajv: ajv(),
}
