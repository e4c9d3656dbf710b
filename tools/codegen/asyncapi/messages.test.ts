/** Messages of the wire are valid by the schemas of asyncapi.json, and by those of the right message. */
import { readFileSync } from 'node:fs'
import { ModuleSubscribeResponseSchema, TradeSubscribeResponseSchema } from '@brokerwire/protos'
import { marketDataFile } from '@brokerwire/protos/quotes'
import { type DescMessage, fromBinary, toJson } from '@bufbuild/protobuf'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import marketData from '../../../testdata/fixtures/market-data.json' with { type: 'json' }
import events from '../../../testdata/fixtures/wire-messages.json' with { type: 'json' }
import { MODULE_PAYLOADS } from '../payloads/module-payloads.ts'

interface Message {
  readonly payload: { readonly $ref?: string; readonly allOf?: readonly Fields[] }
}
interface Fields {
  readonly properties?: { readonly payload?: { readonly contentSchema?: object } }
}
interface Channel {
  readonly address: string
  readonly messages: Readonly<Record<string, Message>>
}

const FILE = new URL('../../../packages/protos/asyncapi.json', import.meta.url)
const document = JSON.parse(readFileSync(FILE, 'utf8')) as { channels: Readonly<Record<string, Channel>> }
const ajv = new Ajv({ strict: false })
ajv.addSchema(document, 'asyncapi')

/** Validates a value with a schema of the document, which is compiled once. */
function isValid(pointer: string, value: unknown): boolean {
  const validate = ajv.getSchema(`asyncapi#/channels/${pointer}`)
  if (validate === undefined) throw new Error(`${pointer}: no schema`)
  return validate(value) as boolean
}

/** Returns the names of the messages of a channel whose schemas accept a message and the JSON in it. */
function matching(channel: string, message: { readonly payload?: unknown }): string[] {
  const messages = Object.entries(document.channels[channel]?.messages ?? {})
  return messages
    .filter(([name]) => name !== 'subscribeRequest')
    .filter(([name, { payload }]) => {
      const pointer = `${channel}/messages/${name}/payload`
      if (!isValid(pointer, message)) return false
      if (payload.allOf?.[1]?.properties?.payload?.contentSchema === undefined) return true
      const content = `${pointer}/allOf/1/properties/payload/contentSchema`
      return isValid(content, JSON.parse(String(message.payload)))
    })
    .map(([name]) => name)
}

function decode(schema: DescMessage, hex: string): { readonly payload?: unknown } {
  const message = fromBinary(schema, Buffer.from(hex, 'hex'))
  return toJson(schema, message, { useProtoFieldName: true, alwaysEmitImplicit: true }) as object
}

const ofService = (service: string) => events.messages.filter((message) => message.service === service)

describe('trade events', () => {
  const CONTROL: Readonly<Record<string, string>> = {
    'subscribe success': 'subscribeSuccess',
    ping: 'ping',
    'auth error': 'authError',
    'connection limit': 'numOfConnExceed',
    'subscribe expired': 'subscribeExpired',
    'position settlement': 'positionEvent',
    'option event': 'optionEvent',
    'unknown event': '',
  }
  const messages = ofService('trade').filter(({ name }) => name !== 'broken json' && name !== 'order sloppy')
  test.each(messages)('$name', ({ name, hex }) => {
    const expected = CONTROL[name] ?? 'orderEvent'
    const found = matching('tradeEvents', decode(TradeSubscribeResponseSchema, hex))
    expect(found).toEqual(expected === '' ? [] : [expected])
  })
})

describe('module events', () => {
  test.each(MODULE_PAYLOADS)('$eventType $bizType', ({ eventType, bizType, decoder }) => {
    const fixture = ofService('module').find(({ name }) => name === `${eventType} ${bizType}`)
    const found = matching('moduleEvents', decode(ModuleSubscribeResponseSchema, fixture?.hex ?? ''))
    expect(found).toEqual([`${decoder}Event`, 'otherEvent'])
  })

  test('an event of an unknown event type', () => {
    const fixture = ofService('module').find(({ name }) => name === 'BRAND_NEW SOMETHING')
    const found = matching('moduleEvents', decode(ModuleSubscribeResponseSchema, fixture?.hex ?? ''))
    expect(found).toEqual(['otherEvent'])
  })
})

test.each(marketData.messages)('market data: $name', ({ topic, hex }) => {
  const [name = '', channel] =
    Object.entries(document.channels).find(([, { address }]) => address === topic) ?? []
  const type = channel?.messages[name]?.payload.$ref?.replace('#/components/schemas/', '')
  const schema = marketDataFile.messages.find(({ typeName }) => typeName === type)
  if (schema === undefined) throw new Error(`${topic}: no message`)
  expect(matching(name, decode(schema, hex))).toEqual([name])
})
