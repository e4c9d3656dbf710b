/** The channels of the event services: the RPC of each service, with its control messages and its events. */
import type { DescMethod } from '@bufbuild/protobuf'
import type { DecoderComments } from '../payloads/comments.ts'
import { MODULE_PAYLOADS } from '../payloads/module-payloads.ts'
import type { Json } from './json-schema.ts'
import { referenceTo } from './message-schema.ts'

/** A channel without its servers. */
export interface ChannelInput {
  readonly address: string
  readonly description: string
  readonly messages: Readonly<Record<string, Json>>
}

const PROTOBUF = 'application/protobuf'

/** The name of the schema of a decoder's payload. */
export const schemaName = (decoder: string): string => `${decoder.charAt(0).toUpperCase()}${decoder.slice(1)}`

/** Name of the request in the channels of the event services. */
export const REQUEST = 'subscribeRequest'

/** Data messages of the trade service: their codes, which the proto enum does not have, and decoders. */
const TRADE_EVENTS: Readonly<Record<string, { readonly decoder?: string; readonly summary: string }>> = {
  order: { decoder: 'tradeEvent', summary: 'An order has changed (subscribeType 1).' },
  position: { decoder: 'positionEvent', summary: 'An event contract was settled (subscribeType 2).' },
  option: { summary: 'An event of options. Its payload is not documented.' },
}

export function tradeChannel(rpc: DescMethod, codes: Readonly<Record<string, number>>): ChannelInput {
  const events = Object.entries(codes).map(([name, code]) => {
    const event = TRADE_EVENTS[name]
    if (event === undefined) throw new Error(`no description of the event ${name}`)
    const content = event.decoder === undefined ? { type: 'object' } : referenceTo(schemaName(event.decoder))
    const fields = { eventType: { const: code }, payload: jsonText(content) }
    return [`${name}Event`, message(rpc, event.summary, fields)]
  })
  return channel(
    rpc,
    'Order status changes and settlements of event contracts.',
    'eventType',
    Object.fromEntries(events),
  )
}

export function moduleChannel(rpc: DescMethod, comments: ReadonlyMap<string, DecoderComments>): ChannelInput {
  const events = MODULE_PAYLOADS.map(({ module, eventType, bizType, decoder }) => {
    const content = {
      allOf: [
        referenceTo(schemaName('envelope')),
        { properties: { payload: referenceTo(schemaName(decoder)) } },
      ],
    }
    const summary = `Module ${module}: ${comments.get(decoder)?.summary ?? ''}`
    const fields = { type: { const: 'Event' }, eventType: { const: eventType }, payload: jsonText(content) }
    return [`${decoder}Event`, { ...message(rpc, summary, fields), 'x-biz-type': bizType }]
  })
  const other = message(
    rpc,
    'An event without a published payload, such as one of the module sod. Route events by event_type and payload.biz_type together.',
    { type: { const: 'Event' }, payload: jsonText(referenceTo(schemaName('envelope'))) },
  )
  const description = 'Events of eleven modules, with a cursor for each event type.'
  return channel(rpc, description, 'type', { ...Object.fromEntries(events), otherEvent: other })
}

/** A string that contains JSON. */
const jsonText = (content: Json): Json => ({ contentMediaType: 'application/json', contentSchema: content })

/** A response whose fields have these values. */
function message(rpc: DescMethod, summary: string, fields: Json): Json {
  return {
    contentType: PROTOBUF,
    summary,
    payload: { allOf: [referenceTo(rpc.output.typeName), { properties: fields }] },
  }
}

/** @param kindField - Field of a response with its kind, an enum whose values are control messages. */
function channel(
  rpc: DescMethod,
  description: string,
  kindField: string,
  events: Readonly<Record<string, Json>>,
): ChannelInput {
  const kinds = rpc.output.fields.find(({ name }) => name === kindField)?.enum?.values ?? []
  const control = kinds
    .filter(({ name }) => name !== 'Event')
    .map(({ name, number }) => [
      `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
      message(rpc, `Control message ${name}.`, { [kindField]: { const: name, 'x-enum-number': number } }),
    ])
  const request = {
    contentType: PROTOBUF,
    summary: 'Opens the stream. The signature covers the serialized message.',
    headers: referenceTo('StreamMetadata'),
    payload: referenceTo(rpc.input.typeName),
  }
  return {
    address: `/${rpc.parent.typeName}/${rpc.name}`,
    description: `${description} A gRPC call with server streaming.`,
    messages: { [REQUEST]: request, ...Object.fromEntries(control), ...events },
  }
}
