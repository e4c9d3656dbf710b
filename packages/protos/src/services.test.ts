import { describe, expect, test } from 'vitest'
import * as all from './index.ts'
import * as moduleEvents from './module.ts'
import * as tradeEvents from './trade.ts'

const path = (service: { typeName: string; method: { subscribe: { name: string } } }): string =>
  `/${service.typeName}/${service.method.subscribe.name}`

describe('the services', () => {
  test('have the paths of the service', () => {
    expect(path(all.TradeEventService)).toBe('/grpc.trade.event.EventService/Subscribe')
    expect(path(all.ModuleEventService)).toBe('/grpc.event.EventService/Subscribe')
  })

  test('stream from the server only', () => {
    expect(all.TradeEventService.method.subscribe.methodKind).toBe('server_streaming')
    expect(all.ModuleEventService.method.subscribe.methodKind).toBe('server_streaming')
  })

  test('number their control messages differently', () => {
    expect(numbers(all.TradeEventTypeSchema)).toEqual({
      SubscribeSuccess: 0,
      Ping: 1,
      AuthError: 2,
      NumOfConnExceed: 3,
      SubscribeExpired: 4,
    })
    expect(numbers(all.ModuleMessageTypeSchema)).toEqual({
      SubscribeSuccess: 0,
      Ping: 1,
      Event: 2,
      AuthError: 3,
      NumOfConnExceed: 4,
      SubscribeExpired: 5,
    })
  })

  test('have open enums, so that unknown codes are valid', () => {
    expect([all.TradeEventTypeSchema.open, all.ModuleMessageTypeSchema.open]).toEqual([true, true])
  })
})

describe('the messages of the specification', () => {
  test.each([
    [
      'trade request',
      all.TradeSubscribeRequestSchema,
      'subscribeType timestamp contentType payload accounts',
    ],
    [
      'trade response',
      all.TradeSubscribeResponseSchema,
      'eventType subscribeType contentType payload requestId timestamp',
    ],
    ['module request', all.ModuleSubscribeRequestSchema, 'events timestamp'],
    ['module entry', all.ModuleSubscribeEventSchema, 'eventType position'],
    [
      'module response',
      all.ModuleSubscribeResponseSchema,
      'type id eventType position timestamp version payload',
    ],
  ])('%s: fields in the order of their tags, 1, 2, 3', (_, schema, names) => {
    expect(schema.fields.map(({ name, number }) => `${number} ${name}`)).toEqual(
      names.split(' ').map((name, index) => `${index + 1} ${name}`),
    )
  })
})

test('the main entry exports the entries of both services', () => {
  expect(Object.keys(all).sort()).toEqual([...Object.keys(tradeEvents), ...Object.keys(moduleEvents)].sort())
})

function numbers(schema: { values: readonly { name: string; number: number }[] }): object {
  return Object.fromEntries(schema.values.map(({ name, number }) => [name, number]))
}
