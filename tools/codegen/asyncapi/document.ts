/** The AsyncAPI 3 document of the event streams and of market data, as a client sees them. */
import { join } from 'node:path'
import { createSigner } from '@brokerwire/signer'
import type { DescFile } from '@bufbuild/protobuf'
import { envelope } from '../../../packages/payloads/src/events/envelope.ts'
import { positionEvent } from '../../../packages/payloads/src/events/position-event.ts'
import { tradeEventDefinition } from '../../../packages/payloads/src/events/trade-event-definition.ts'
import { TRADE_DATA_CODES } from '../../../packages/streams/src/items/trade-frames.ts'
import { ROOT } from '../../ci/lib/workspace.ts'
import { type DecoderComments, decoderComments } from '../payloads/comments.ts'
import { MODULE_PAYLOADS } from '../payloads/module-payloads.ts'
import { readSchemas } from '../protos/schemas.ts'
import { type ChannelInput, moduleChannel, REQUEST, schemaName, tradeChannel } from './event-channels.ts'
import { type Json, payloadSchema } from './json-schema.ts'
import { MARKET_DATA_SUBSCRIPTION, marketDataChannels } from './market-data-channels.ts'
import { messageSchema } from './message-schema.ts'
import { SECURITY_SCHEMES, type ServerKind, serverReferences, servers } from './servers.ts'

const DESCRIPTION = `Generated from the tables of @brokerwire, which is independent of the operator of the service. Nothing here was tried against the live service.

The document describes a client: it sends subscribe requests and receives events. Messages with the content type application/protobuf are protobuf on the wire. Their schemas describe the ProtoJSON form, with the field names of the .proto files in the folder proto of @brokerwire/protos; x-protobuf names file and message, x-field-number the number of a field. A string with contentMediaType application/json contains JSON, whose schema is contentSchema. All schemas allow unknown fields.

${MARKET_DATA_SUBSCRIPTION}`

export async function asyncApiDocument(): Promise<Json> {
  const files = [...(await readSchemas(join(ROOT, 'packages/protos/proto'))).values()]
  const comments = decoderComments()
  const all = servers()
  const channels: Record<string, Json> = {}
  const operations: Record<string, Json> = {}
  const add = (name: string, { address, description, messages }: ChannelInput, ...kinds: ServerKind[]) => {
    channels[name] = { address, description, servers: serverReferences(all, ...kinds), messages }
    const refs = Object.keys(messages).map((key) => ({ $ref: `#/channels/${name}/messages/${key}` }))
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    const channel = { $ref: `#/channels/${name}` }
    if (messages[REQUEST] === undefined)
      operations[`receive${title}`] = { action: 'receive', channel, messages: refs }
    else
      operations[`subscribe${title}`] = {
        action: 'send',
        channel,
        messages: refs.slice(0, 1),
        reply: { channel, messages: refs.slice(1) },
      }
  }
  add('tradeEvents', tradeChannel(rpcOf(files, 'grpc.trade.event'), TRADE_DATA_CODES), 'events')
  add('moduleEvents', moduleChannel(rpcOf(files, 'grpc.event'), comments), 'module-events')
  for (const [name, channel] of Object.entries(marketDataChannels(fileOf(files, 'quotes'))))
    add(name, channel, 'mqtt', 'mqtt-websocket')
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Event streams and market data of the brokerage open API',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/protobuf',
    servers: all,
    channels,
    operations,
    components: {
      schemas: { ...messageSchemas(files), StreamMetadata: await streamMetadata(), ...payloads(comments) },
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function fileOf(files: readonly DescFile[], packageName: string): DescFile {
  const file = files.find(({ proto }) => proto.package === packageName)
  if (file === undefined) throw new Error(`no .proto file of the package ${packageName}`)
  return file
}

function rpcOf(files: readonly DescFile[], packageName: string) {
  const rpc = fileOf(files, packageName).services[0]?.methods[0]
  if (rpc === undefined) throw new Error(`${packageName} has no service`)
  return rpc
}

function messageSchemas(files: readonly DescFile[]): Json {
  const messages = files.flatMap((file) => file.messages)
  return Object.fromEntries(messages.map((message) => [message.typeName, messageSchema(message)]))
}

/** The metadata of a call: the headers of a stream signature, and the access token. */
async function streamMetadata(): Promise<Json> {
  const { headers } = await createSigner({ appKey: 'key', appSecret: 'secret' }).signStream(new Uint8Array())
  const names = Object.keys(headers)
  return {
    type: 'object',
    description: 'Metadata of a call. The signature covers the headers and the serialized request.',
    properties: Object.fromEntries([...names, 'x-access-token'].map((name) => [name, { type: 'string' }])),
    required: names,
  }
}

function payloads(comments: ReadonlyMap<string, DecoderComments>): Json {
  const decoders = [
    { decoder: 'tradeEvent', definition: tradeEventDefinition.definition },
    { decoder: 'positionEvent', definition: positionEvent.definition },
    { decoder: 'envelope', definition: envelope.definition },
    ...MODULE_PAYLOADS,
  ]
  const schemas = decoders.map(({ decoder, definition }) => {
    const { summary, fields } = comments.get(decoder) ?? { summary: '', fields: new Map<string, string>() }
    return [schemaName(decoder), { description: summary, ...payloadSchema(definition, fields) }]
  })
  return Object.fromEntries(schemas)
}
