/** Schemas of other libraries as modules, and decoders of this package as Standard Schemas. */
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import * as zm from 'zod/mini'
import { array } from './combinators/array.ts'
import { decimal } from './combinators/decimal.ts'
import { object } from './combinators/object.ts'
import { positionEvent } from './events/position-event.ts'
import { tradeEvent } from './events/trade-event.ts'
import { payloads } from './payloads.ts'
import type { StandardIssue, StandardSchema } from './standard-schema.ts'
import { moduleFrame, tradeFrame } from './test/fixtures.ts'

describe('schemas of other libraries as modules', () => {
  const frame = moduleFrame('SOD ')
  const wrong = { ...frame, payload: frame.payload.replace('"READY"', '5') }
  const schemas = {
    zod: z.object({ business_date: z.string(), state: z.string() }),
    'zod/mini': zm.object({ business_date: zm.string(), state: zm.string() }),
    valibot: v.object({ business_date: v.string(), state: v.string() }),
    arktype: type({ business_date: 'string', state: 'string' }),
  }

  test.each(Object.entries(schemas))('%s', (_, SOD) => {
    const own = payloads.with({ SOD })
    expect(own.module(frame)).toMatchObject({
      ok: true,
      value: { module: 'SOD', payload: { business_date: '2026-03-04', state: 'READY' }, raw: frame.payload },
    })
    const result = own.module(wrong)
    expect(!result.ok && result.error.details).toMatchObject({
      problems: [{ code: 'schema', path: ['payload', 'state'] }],
    })
  })

  test('have their output types in the events', () => {
    const own = payloads.with({
      SOD: schemas.zod,
      NEWS: schemas.valibot,
      'FUNDING/TRANSFER': schemas.arktype,
    })
    const result = own.module(frame)
    if (!result.ok) throw result.error
    const event = result.value
    if (event.module === 'SOD') expectTypeOf(event.payload.state).toEqualTypeOf<string>()
    if (event.module === 'NEWS') expectTypeOf(event.payload.state).toEqualTypeOf<string>()
    if (event.module === 'FUNDING/TRANSFER') expectTypeOf(event.payload.state).toEqualTypeOf<string>()
    expect(event.module).toBe('SOD')
  })
})

/** A validating middleware for any Standard Schema. It returns status 400 with the issues, or the value. */
async function validatedRequest<Output>(
  schema: StandardSchema<unknown, Output>,
  request: { json(): Promise<unknown> },
): Promise<{ status: 400; issues: readonly StandardIssue[] } | { status: 200; value: Output }> {
  const result = await schema['~standard'].validate(await request.json())
  return result.issues ? { status: 400, issues: result.issues } : { status: 200, value: result.value }
}

/** A form library for any Standard Schema. It returns one message for each field, by its dotted path. */
function fieldErrors(schema: StandardSchema<unknown, unknown>, value: unknown): Record<string, string> {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise || !('issues' in result) || result.issues === undefined) return {}
  return Object.fromEntries(
    result.issues.map(({ path = [], message }) => [
      path.map((step) => (typeof step === 'object' ? String(step.key) : String(step))).join('.'),
      message,
    ]),
  )
}

describe('decoders as Standard Schemas', () => {
  const json = JSON.parse(tradeFrame('position settlement').payload)

  test('work in a validating middleware', async () => {
    const accepted = await validatedRequest(positionEvent, new Response(JSON.stringify(json)))
    expect(accepted).toMatchObject({ status: 200, value: { settleAmount: '10.00' } })
    if (accepted.status === 200) expectTypeOf(accepted.value.eventName).toEqualTypeOf<string>()

    const refused = await validatedRequest(positionEvent, new Response('{}'))
    expect(refused).toMatchObject({ status: 400 })
    expect(refused.status === 400 && refused.issues).toHaveLength(7)
  })

  test('work in a form library', () => {
    const prices = object({ prices: array(decimal) })
    expect(fieldErrors(prices, { prices: ['1', 'x'] })).toEqual({
      'prices.1': 'prices[1]: expected a decimal',
    })
    expect(fieldErrors(prices, { prices: ['1', '2'] })).toEqual({})
  })

  test('decode a trade event from a parsed value', () => {
    const result = tradeEvent['~standard'].validate(JSON.parse(tradeFrame('order FILLED').payload))
    expect(result).toMatchObject({ value: { sceneType: 'FILLED', qty: '411.0000000000' } })
  })
})
