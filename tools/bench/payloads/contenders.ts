/** The contenders. Each takes a payload's text and gives the event, or `undefined` where it is wrong. */
import Ajv from 'ajv'
import { scope } from 'arktype'
import { Type as T } from 'typebox'
import { Compile } from 'typebox/compile'
import { Set as setFormat } from 'typebox/format'
import { Check } from 'typebox/value'
import * as v from 'valibot'
import * as z from 'zod'
import * as zm from 'zod/mini'
import { payloads } from '../../../packages/payloads/src/payloads.ts'
import {
  type Checked,
  DECIMALS,
  each,
  FEE_DECIMALS,
  FEE_TEXTS,
  isDecimal,
  isInstant,
  OPTIONAL_DECIMALS,
  OPTIONAL_INSTANTS,
  OPTIONAL_TEXTS,
  rename,
  TEXTS,
} from './fields.ts'

/** Decodes one payload. */
export type Contender = (payload: string) => object | undefined

function ours(payload: string): object | undefined {
  const result = payloads.order({ eventType: 1024, contentType: 'application/json', payload })
  return result.ok ? result.value : undefined
}

/** After a check that says yes or no. */
function checking(check: (value: unknown) => boolean): Contender {
  return (payload) => {
    const value: unknown = JSON.parse(payload)
    return check(value) ? rename(value as Checked, payload) : undefined
  }
}

function zodSchema(jitless: boolean): Contender {
  // Read when a schema is made.
  z.config({ jitless })
  const decimal = z.string().refine(isDecimal)
  const schema = z.looseObject({
    ...each(TEXTS, z.string()),
    ...each(OPTIONAL_TEXTS, z.string().optional()),
    ...each(DECIMALS, decimal),
    ...each(OPTIONAL_DECIMALS, decimal.optional()),
    ...each(OPTIONAL_INSTANTS, z.string().refine(isInstant).optional()),
    fees: z
      .array(z.looseObject({ ...each(FEE_TEXTS, z.string()), ...each(FEE_DECIMALS, decimal) }))
      .optional(),
  })
  z.config({ jitless: false })
  return (payload) => {
    const result = schema.safeParse(JSON.parse(payload))
    return result.success ? rename(result.data, payload) : undefined
  }
}

function zodMini(): Contender {
  z.config({ jitless: true })
  const decimal = zm.string().check(zm.refine(isDecimal))
  const schema = zm.looseObject({
    ...each(TEXTS, zm.string()),
    ...each(OPTIONAL_TEXTS, zm.optional(zm.string())),
    ...each(DECIMALS, decimal),
    ...each(OPTIONAL_DECIMALS, zm.optional(decimal)),
    ...each(OPTIONAL_INSTANTS, zm.optional(zm.string().check(zm.refine(isInstant)))),
    fees: zm.optional(
      zm.array(zm.looseObject({ ...each(FEE_TEXTS, zm.string()), ...each(FEE_DECIMALS, decimal) })),
    ),
  })
  z.config({ jitless: false })
  return (payload) => {
    const result = zm.safeParse(schema, JSON.parse(payload))
    return result.success ? rename(result.data, payload) : undefined
  }
}

function valibot(): Contender {
  const decimal = v.pipe(v.string(), v.check(isDecimal))
  const schema = v.looseObject({
    ...each(TEXTS, v.string()),
    ...each(OPTIONAL_TEXTS, v.optional(v.string())),
    ...each(DECIMALS, decimal),
    ...each(OPTIONAL_DECIMALS, v.optional(decimal)),
    ...each(OPTIONAL_INSTANTS, v.optional(v.pipe(v.string(), v.check(isInstant)))),
    fees: v.optional(
      v.array(v.looseObject({ ...each(FEE_TEXTS, v.string()), ...each(FEE_DECIMALS, decimal) })),
    ),
  })
  return (payload) => {
    const result = v.safeParse(schema, JSON.parse(payload))
    return result.success ? rename(result.output, payload) : undefined
  }
}

function arktype(jitless: boolean): Contender {
  const { type } = scope({}, { jitless })
  const decimal = type('string').narrow((text) => isDecimal(text))
  const instant = type('string').narrow((text) => isInstant(text))
  const fee = type.raw({ ...each(FEE_TEXTS, 'string'), ...each(FEE_DECIMALS, decimal) })
  const schema = type.raw({
    ...each(TEXTS, 'string'),
    ...each(OPTIONAL_TEXTS.map(maybe), 'string'),
    ...each(DECIMALS, decimal),
    ...each(OPTIONAL_DECIMALS.map(maybe), decimal),
    ...each(OPTIONAL_INSTANTS.map(maybe), instant),
    'fees?': fee.array(),
  })
  return checking((value) => schema.allows(value))
}

/** How arktype writes an optional key. */
function maybe(name: string): string {
  return `${name}?`
}

const decimalFormat = { type: 'string', format: 'exact-decimal' } as const
const instantFormat = { type: 'string', format: 'exact-instant' } as const

function typebox(compiled: boolean): Contender {
  setFormat(decimalFormat.format, isDecimal)
  setFormat(instantFormat.format, isInstant)
  const decimal = T.String({ format: decimalFormat.format })
  const schema = T.Object({
    ...each(TEXTS, T.String()),
    ...each(OPTIONAL_TEXTS, T.Optional(T.String())),
    ...each(DECIMALS, decimal),
    ...each(OPTIONAL_DECIMALS, T.Optional(decimal)),
    ...each(OPTIONAL_INSTANTS, T.Optional(T.String({ format: instantFormat.format }))),
    fees: T.Optional(T.Array(T.Object({ ...each(FEE_TEXTS, T.String()), ...each(FEE_DECIMALS, decimal) }))),
  })
  if (!compiled) return checking((value) => Check(schema, value))
  const validator = Compile(schema)
  return checking((value) => validator.Check(value))
}

function ajv(): Contender {
  const text = { type: 'string' } as const
  const instance = new Ajv.default({
    formats: { [decimalFormat.format]: isDecimal, [instantFormat.format]: isInstant },
  })
  return checking(
    instance.compile({
      type: 'object',
      properties: {
        ...each([...TEXTS, ...OPTIONAL_TEXTS], text),
        ...each([...DECIMALS, ...OPTIONAL_DECIMALS], decimalFormat),
        ...each(OPTIONAL_INSTANTS, instantFormat),
        fees: {
          type: 'array',
          items: {
            type: 'object',
            properties: { ...each(FEE_TEXTS, text), ...each(FEE_DECIMALS, decimalFormat) },
            required: [...FEE_TEXTS, ...FEE_DECIMALS],
          },
        },
      },
      required: [...TEXTS, ...DECIMALS],
    }),
  )
}

/** Those that run where `new Function` is forbidden. */
export const WITHOUT_EVAL: Readonly<Record<string, Contender>> = {
  zod_jitless: zodSchema(true),
  zod_mini: zodMini(),
  valibot: valibot(),
  arktype_jitless: arktype(true),
  typebox_uncompiled: typebox(false),
}

/** Those that compile with `new Function`. */
export const WITH_EVAL: Readonly<Record<string, Contender>> = {
  zod: zodSchema(false),
  arktype: arktype(false),
  typebox: typebox(true),
  ajv: ajv(),
}

export const OURS: Contender = ours
